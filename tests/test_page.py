"""The page: prose, parts, one file that fetches nothing."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmixup.evidence.drawings import Drawing
from gmixup.evidence.page import Facts, Headline, Note, Page, Section, Text
from gmixup.evidence.prose import in_line, paragraphs
from gmixup.evidence.tables import Table

VOID = {"meta", "link", "img", "br"}
TABLE = Table("Scores", ("method", "score"), [("none", "70.1")], ("Per cent.",))


class Balance(HTMLParser):
    """Raises where an element is not closed in turn."""

    def __init__(self):
        super().__init__()
        self.open, self.addresses = [], []

    def handle_starttag(self, tag, attrs):
        self.addresses += [value for name, value in attrs if name in ("src", "href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def balanced(html):
    reader = Balance()
    reader.feed(html)
    reader.close()
    assert not reader.open
    return reader


def page(**changes):
    parts = [
        Text("First *this*.\n\n- one\n- two\n  goes on"),
        TABLE,
        Note("Mind **this**."),
        Facts({"depth": 5, "λ": "0.1 < 0.2"}, "Recipe"),
        Drawing("<svg></svg>", "A `drawing`."),
    ]
    settings = {"title": "Runs & more", "verdict": Headline("g-mixup `helps`", ("Why.",), "helps")}
    return Page(**(settings | {"sections": [Section("First", parts)]} | changes))


@pytest.mark.parametrize(
    ("words", "html"),
    [
        ("plain", "plain"),
        ("a < b & c", "a &lt; b &amp; c"),
        ("`a*b*` and *c*", "<code>a*b*</code> and <em>c</em>"),
        ("**strong** *stressed*", "<strong>strong</strong> <em>stressed</em>"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("`<script>`", "<code>&lt;script&gt;</code>"),
        ("[words](http://x)", "[words](http://x)"),
    ],
)
def test_words_in_line(words, html):
    assert in_line(words) == html


def test_paragraphs_and_lists():
    assert paragraphs("One\nline.\n\nBefore:\n- a\n- b\n  more\n\n- c") == (
        "<p>One line.</p>\n<p>Before:</p>\n<ul><li>a</li><li>b more</li></ul>\n<ul><li>c</li></ul>"
    )
    assert paragraphs(" \n\n ") == ""


@given(st.text(st.sampled_from("ab *`-\n<&"), max_size=40))
def test_whatever_is_said_the_elements_close(words):
    balanced(paragraphs(words))


def test_the_page_is_one_balanced_file_that_names_no_other():
    html = page().html()
    found = balanced(html)
    assert all(address.startswith(("#", "data:")) for address in found.addresses)
    assert not re.search(
        r"\b(?:https?:)?//\w", re.sub(r"<script>.*</script>", "", html, flags=re.S)
    )
    assert "@import" not in html
    assert "Runs &amp; more" in html
    assert "g-mixup <code>helps</code>" in html
    assert 'class="verdict helps"' in html
    assert "0.1 &lt; 0.2" in html


def test_the_verdict_comes_first():
    html = page().html()
    assert html.index('class="headline"') < html.index("<main>") < html.index("<table>")


def test_many_sections_have_a_list_of_contents_and_names_of_their_own():
    sections = [Section("Same", []), Section("Same", []), Section("§", []), Section("Last one", [])]
    html = page(sections=sections).html()
    balanced(html)
    assert re.findall(r'<section id="([^"]*)"', html) == ["same", "same-2", "section", "last-one"]
    assert re.findall(r'<li><a href="#([^"]*)"', html) == ["same", "same-2", "section", "last-one"]
    assert "On this page" not in page().html()


def test_a_verdict_may_be_mere_words():
    assert '<p class="headline">Nothing yet</p>' in page(verdict="Nothing yet").html()


def test_an_outcome_that_has_no_sign_is_named():
    with pytest.raises(
        ValueError, match="`outcome` is 'wins'; it is one of 'helps', 'hurts', 'no d"
    ):
        Headline("words", (), "wins")


def test_the_same_page_in_markdown():
    assert page().markdown() == (
        "# Runs & more\n\n**g-mixup `helps`**\n\nWhy.\n\n## First\n\n"
        "First *this*.\n\n- one\n- two\n  goes on\n\n"
        "**Scores**\n\n| method | score |\n|--------|-------|\n| none   | 70.1  |\n\n"
        "- Per cent.\n\n"
        "> Mind **this**.\n\n"
        "### Recipe\n\n- depth: 5\n- λ: 0.1 < 0.2\n"
    )


def test_its_tables_in_latex():
    assert page().tables == [TABLE]
    assert page().latex() == TABLE.latex()


def test_saved_by_its_ending(tmp_path):
    made = page()
    for name, text in (
        ("report.html", made.html()),
        ("deep/report.md", made.markdown()),
        ("report.tex", made.latex()),
    ):
        made.save(tmp_path / name)
        assert (tmp_path / name).read_text(encoding="utf-8") == text
    with pytest.raises(
        ValueError,
        match=r"`path` is .*report.pdf'; a report is written to a file that ends in .html",
    ):
        made.save(tmp_path / "report.pdf")


def test_the_same_parts_give_the_same_bytes():
    assert page().html() == page().html()
