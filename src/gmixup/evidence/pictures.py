"""Pictures: matplotlib figures as a part of an HTML page, at home on a light and a dark ground."""

import re
from base64 import b64encode
from dataclasses import dataclass
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING

from gmixup.colours import FAINT, FRAME, INK, SERIES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The page's names for the colours of figures, which are others on a dark ground.
THEME = {
    INK: "--ink",
    "#000000": "--ink",
    FAINT: "--soft",
    FRAME: "--line",
    **{colour: f"--series-{number}" for number, colour in enumerate(SERIES, 1)},
}
LARGEST = 600_000  # characters: drawings of many lines are lighter as pixels
DOTS = 200  # an inch
SETTINGS = {"svg.hashsalt": "gmixup", "svg.fonttype": "none"}


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure with the words below it, and words for who cannot see it."""

    figure: "Figure"
    caption: str = ""
    description: str = ""  # else the caption

    @property
    def on_paper(self) -> bool:
        """Whether it needs a light ground: shades of marks and pixels mean what they show."""
        return _has_shaded_marks(self.figure)

    @property
    def width(self) -> float:
        """In CSS pixels, at the size it was drawn."""
        return 96 * float(self.figure.get_size_inches()[0])

    def html(self, number: int = 1) -> str:
        """An `<svg>`, or where that would be large an `<img>`; the same figure, the same bytes."""
        words = escape(self.description or self.caption or "figure")
        drawing = _svg(self.figure)
        if len(drawing) > LARGEST:
            pixels = b64encode(_saved(self.figure, "png")).decode()
            return f'<img alt="{words}" src="data:image/png;base64,{pixels}">'
        if not self.on_paper:
            drawing = _in_theme(drawing)
        return _in_page(drawing, f"picture-{number}-", words)


def _svg(figure: "Figure") -> str:
    """The element alone, as HTML takes it: no prologue, metadata, name spaces or fonts."""
    text = _saved(figure, "svg").decode()
    text = text[text.index("<svg") :]
    text = re.sub(r"\s*<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"\s*<style type=\"text/css\">.*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r"'DejaVu Sans'[^;\"]*", "system-ui, sans-serif", text)
    text = re.sub(r" xmlns(:xlink)?=\"[^\"]*\"", "", text)
    return text.replace("xlink:href=", "href=").strip()


def _saved(figure: "Figure", kind: str) -> bytes:
    from matplotlib import rc_context

    target = BytesIO()
    metadata = {"Date": None} if kind == "svg" else {"Software": ""}
    with rc_context(SETTINGS):  # pyright: ignore[reportArgumentType]
        figure.savefig(target, format=kind, dpi=DOTS, metadata=metadata, transparent=True)
    return target.getvalue()


def _in_theme(drawing: str) -> str:
    return re.sub(
        r"#[0-9a-f]{6}\b",
        lambda found: f"var({THEME[found[0]]})" if found[0] in THEME else found[0],
        drawing,
    )


def _in_page(drawing: str, prefix: str, words: str) -> str:
    """Names within the drawing become its own: a page has several; size is the page's affair."""
    drawing = re.sub(r'\bid="', f'id="{prefix}', drawing)
    drawing = re.sub(r'(href="#|url\(#)', rf"\g<1>{prefix}", drawing)
    head, body = drawing.split(">", 1)
    view = re.search(r'viewBox="[^"]*"', head)
    return f'<svg role="img" aria-label="{words}" {view[0] if view else ""}>{body}'


def _has_shaded_marks(figure: "Figure") -> bool:
    from matplotlib.collections import PathCollection

    return any(
        collection.get_array() is not None
        for axes in figure.axes
        for collection in axes.collections
        if isinstance(collection, PathCollection)
    )
