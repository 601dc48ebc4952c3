"""Page: a report as one HTML file that fetches nothing; the verdict first, then its grounds."""

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from gmixup import __version__
from gmixup.atomic import write_text
from gmixup.evidence.pictures import Picture
from gmixup.evidence.prose import in_line, paragraphs
from gmixup.evidence.tables import Table

if TYPE_CHECKING:
    from jinja2 import Template

# A sign beside the words, for colour alone does not say it to everyone.
SIGNS = {"helps": "▲", "hurts": "▼", "no difference": "≈", "": ""}
CONTENTS_FROM = 4  # sections, from which on a page has a list of them


@dataclass(frozen=True)
class Headline:
    """The verdict: one sentence, what must be known beside it, and which way it points."""

    words: str
    remarks: Sequence[str] = ()
    outcome: str = ""  # one of SIGNS

    def __post_init__(self):
        if self.outcome not in SIGNS:
            known = ", ".join(map(repr, SIGNS))
            raise ValueError(f"`outcome` is {self.outcome!r}; it is one of {known}")


@dataclass(frozen=True)
class Text:
    """Paragraphs: parted by empty lines, with "- " lists, `code`, **strong** and *stressed*."""

    words: str


@dataclass(frozen=True)
class Facts:
    """Names and values: settings, versions."""

    values: Mapping[str, object]
    title: str = ""


@dataclass(frozen=True)
class Note:
    """What a reader should not miss."""

    words: str


Part = Text | Table | Picture | Facts | Note


@dataclass(frozen=True)
class Section:
    """Parts under one heading."""

    title: str
    parts: Sequence[Part]


@dataclass(frozen=True)
class Page:
    """A report; the same parts always give the same bytes."""

    title: str
    verdict: Headline | str
    sections: Sequence[Section]

    def html(self) -> str:
        """The whole file."""
        script = _file("report.js")
        verdict = self.verdict if isinstance(self.verdict, Headline) else Headline(self.verdict)
        return _template().render(
            title=self.title,
            verdict=verdict,
            sign=SIGNS[verdict.outcome],
            sections=list(zip(_names(self.sections), self.sections, strict=True)),
            contents=len(self.sections) >= CONTENTS_FROM,
            version=__version__,
            style=_file("report.css"),
            script=script,
            script_hash=b64encode(sha256(script.encode()).digest()).decode(),
        )

    def save(self, path: str | Path) -> None:
        """Writes the file in one step."""
        write_text(path, self.html())


def _names(sections: Sequence[Section]) -> list[str]:
    """What each section is called in addresses within the page; no two are called the same."""
    names: list[str] = []
    for section in sections:
        name = re.sub(r"\W+", "-", section.title.lower()).strip("-") or "section"
        names.append(name if name not in names else f"{name}-{len(names) + 1}")
    return names


def _file(name: str) -> str:
    return files("gmixup.evidence").joinpath(name).read_text(encoding="utf-8")


@cache
def _template() -> "Template":
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    environment.tests |= {
        kind.__name__.lower(): lambda part, kind=kind: isinstance(part, kind)
        for kind in (Text, Table, Picture, Facts, Note)
    }
    environment.filters |= {
        "paragraphs": lambda words: Markup(paragraphs(words)),
        "in_line": lambda words: Markup(in_line(words)),
    }
    return environment.from_string(_file("report.html.j2"))
