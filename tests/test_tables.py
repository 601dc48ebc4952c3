"""Tables as Markdown, LaTeX and HTML."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmixup.evidence.tables import Table, first_number, is_blank

SMALL = Table(
    "Gains & losses",
    ("method", "score", "p"),
    [("none", "72.2 ± 1.5", "–"), ("g|mix", "−0.4 [−1, 2]", "<0.001"), ("b_c", "not run", "1e-3")],
    ("λ is 100 % of it.",),
)
texts = st.text(st.characters(codec="utf-8", exclude_categories=("C",)), max_size=12)


def test_markdown():
    assert SMALL.markdown() == (
        "**Gains & losses**\n"
        "\n"
        "| method | score        | p      |\n"
        "|--------|--------------|--------|\n"
        "| none   | 72.2 ± 1.5   | –      |\n"
        "| g\\|mix | −0.4 [−1, 2] | <0.001 |\n"
        "| b_c    | not run      | 1e-3   |\n"
        "\n"
        "- λ is 100 % of it.\n"
    )


def test_printed_a_table_is_its_markdown():
    assert str(SMALL) == SMALL.markdown().rstrip("\n")


def test_latex():
    made = SMALL.latex()
    assert r"\caption{Gains \& losses}" in made
    assert r"\begin{tabular}{lrr}" in made
    assert r"    none & 72.2 $\pm$ 1.5 & -- \\" in made
    assert r"g|mix & $-$0.4 {[}$-$1, 2{]} & \textless{}0.001 \\" in made
    assert r"b\_c & not run & 1e-3 \\" in made
    assert r"$\lambda$ is 100 \% of it." in made


def test_html():
    made = SMALL.html()
    assert "<caption>Gains &amp; losses</caption>" in made
    assert '<td class="number" data-value="72.2">72.2 ± 1.5</td>' in made
    assert '<td class="number blank">not run</td>' in made
    assert '<th scope="row" class="text">g|mix</th>' in made
    assert 'data-value="-0.4"' in made
    assert 'data-value="0.001"' in made


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=4))
def test_whatever_a_cell_says_the_table_keeps_its_shape(rows):
    made = Table("t", ("a", "b"), rows)
    lines = made.markdown().splitlines()[2:]
    assert len(lines) == len(rows) + 2
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {3}
    assert made.html().count("<tr>") == len(rows) + 1
    body = made.latex().split("\\midrule\n")[1].split("    \\bottomrule")[0]
    assert body.count("\n") == len(rows)


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        ("72.2 ± 1.5", 72.2),
        ("−3.5", -3.5),
        ("+0.4", 0.4),
        ("[−3.5, +4.3]", -3.5),
        ("< 0.001", 0.001),
        ("1,234.5 s", 1234.5),
        ("2e-5", 2e-5),
        ("≈ 3", 3),
        ("none", None),
        ("", None),
        ("g2", None),
    ],
)
def test_the_number_that_a_cell_begins_with(cell, number):
    assert first_number(cell) == number


def test_blanks_are_no_numbers_and_do_no_harm():
    assert all(map(is_blank, ("–", " not run ", "", "n/a", "Not known")))
    assert not is_blank("0")
    table = Table("t", ("a", "b", "c"), [("x", "1", ""), ("y", "–", "–")])
    assert table.numeric == (False, True, False)


def test_a_crooked_row_is_named():
    with pytest.raises(
        ValueError,
        match=r"`rows` of the table 't' has a row of 1 cells, \('x',\); the header has 2",
    ):
        Table("t", ("a", "b"), [("x",)])
