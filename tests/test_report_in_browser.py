"""The report in a real browser: silent, fetching nothing, sortable, on a phone and by night."""

import pytest

from gmixup.evidence.folding import fold
from tests.browser import chromium
from tests.report_example import example
from tests.runs import cell, comparison, failed

VIEWS = {
    "desktop": {},
    "phone": {"width": 390, "height": 844},
    "dark": {"dark": True},
    "dark phone": {"width": 390, "height": 844, "dark": True},
}
FIRST_COLUMN = (
    "[...document.querySelector('table').tBodies[0].rows].map((r) => r.cells[0].innerText)"
)
HEAD = "document.querySelector('table').tHead.rows[0].cells[{place}]"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    levels = {"none": 0.70, "soften": 0.72, "g-mixup": 0.75, "drop-edge": 0.64}
    records = [
        record
        for data in ("IMDB-BINARY", "MUTAG", "PROTEINS")
        for record in comparison(levels, fits=10, data=data)
    ]
    records.append(failed(cell("g-mixup", 77)))
    pages = {"example": example(), "folded": fold(records, "Many runs"), "empty": fold([])}
    for name, page in pages.items():
        page.save(folder / f"{name}.html")
    return {name: folder / f"{name}.html" for name in pages}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", ["example", "folded", "empty"])
def test_it_is_silent_and_fetches_nothing(browser, reports, name, view):
    browser.open(reports[name], **VIEWS[view])
    assert browser.errors == []
    outside = [address for address in browser.requests if not address.startswith("data:")]
    assert outside == [reports[name].absolute().as_uri()]


@pytest.mark.parametrize("name", ["example", "folded"])
def test_the_page_itself_never_scrolls_sideways(browser, reports, name):
    for width in (320, 390, 820, 1400):
        browser.open(reports[name], width=width)
        assert browser.evaluate("document.documentElement.scrollWidth") <= width


def test_a_click_on_a_head_sorts(browser, reports):
    browser.open(reports["example"])
    given = browser.evaluate(FIRST_COLUMN)
    assert given == ["none", "g-mixup", "g-mixup, λ = 1", "resample", "soften", "drop-edge"]
    scores = ["soften", "g-mixup, λ = 1", "resample", "none", "g-mixup"]
    gains = ["soften", "g-mixup, λ = 1", "resample", "g-mixup"]
    for place, upwards, blank in ((1, scores, ["drop-edge"]), (2, gains, ["none", "drop-edge"])):
        orders = {
            "ascending": [*upwards, *blank],
            "descending": [*reversed(upwards), *blank],
            "none": given,
        }
        for direction, order in orders.items():
            browser.click(f"table thead th:nth-child({place + 1}) button")
            assert browser.evaluate(HEAD.format(place=place) + ".ariaSort") == direction
            assert browser.evaluate(FIRST_COLUMN) == order
    assert browser.errors == []


def test_the_keyboard_sorts_too(browser, reports):
    browser.open(reports["example"])
    browser.evaluate(HEAD.format(place=0) + ".querySelector('button').focus()")
    browser.press("Enter", 13, "\r")
    assert browser.evaluate(HEAD.format(place=0) + ".ariaSort") == "ascending"
    assert browser.evaluate(FIRST_COLUMN)[0] == "drop-edge"


def test_every_table_can_be_sorted(browser, reports):
    browser.open(reports["folded"])
    tables, sortable = (
        browser.evaluate(f"document.querySelectorAll('{what}').length")
        for what in ("table", "table:has(th[aria-sort] button)")
    )
    assert tables == sortable == 5


def test_night_is_dark_and_day_is_light(browser, reports):
    def ground(dark):
        browser.open(reports["folded"], dark=dark)
        colour = browser.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(map(int, colour.removeprefix("rgb(").removesuffix(")").split(",")))

    assert ground(dark=True) < 150
    assert ground(dark=False) > 600


def test_words_can_be_read_on_a_phone(browser, reports):
    browser.open(reports["folded"], **VIEWS["phone"])
    sizes = browser.evaluate(
        "[...document.querySelectorAll('p, td, th, li, dd')]"
        ".map((e) => parseFloat(getComputedStyle(e).fontSize))"
    )
    assert min(sizes) >= 12


def test_a_picture_of_it_can_be_taken(browser, reports, tmp_path):
    browser.open(reports["folded"]).screenshot(tmp_path / "report.png")
    assert (tmp_path / "report.png").read_bytes().startswith(b"\x89PNG")
