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
from gmixup.atomic import check_folder, write_text
from gmixup.evidence.drawings import Drawing
from gmixup.evidence.pictures import Picture
from gmixup.evidence.prose import in_line, paragraphs
from gmixup.evidence.tables import Table

if TYPE_CHECKING:
    from jinja2 import Template

# A sign beside the words, for colour alone does not say it to everyone.
SIGNS = {"helps": "▲", "hurts": "▼", "no difference": "≈", "": ""}
KINDS: Sequence[str] = (".html", ".md", ".tex")
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


Part = Text | Table | Picture | Drawing | Facts | Note


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
        verdict = self._headline
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

    @property
    def tables(self) -> list[Table]:
        """Its tables, in order."""
        return [
            part for section in self.sections for part in section.parts if isinstance(part, Table)
        ]

    def markdown(self) -> str:
        """The same in Markdown, without pictures."""
        verdict = self._headline
        told = [f"# {self.title}", f"**{verdict.words}**", *verdict.remarks]
        for section in self.sections:
            told += [f"## {section.title}", *filter(None, map(_markdown, section.parts))]
        return "\n\n".join(block.strip() for block in told) + "\n"

    def latex(self) -> str:
        """Its tables in LaTeX, to paste."""
        return "\n".join(table.latex() for table in self.tables)

    def save(self, path: str | Path) -> None:
        """Writes one file in one step: page, Markdown or LaTeX tables, by its ending."""
        check_path(path)
        kinds = dict(zip(KINDS, (self.html, self.markdown, self.latex), strict=True))
        write_text(path, kinds[Path(path).suffix.lower()]())

    @property
    def _headline(self) -> Headline:
        return self.verdict if isinstance(self.verdict, Headline) else Headline(self.verdict)


def check_path(path: str | Path) -> None:
    """Raises unless a report can be written there."""
    if Path(path).suffix.lower() not in KINDS:
        raise ValueError(
            f"`path` is {str(path)!r}; a report is written to a file that ends in "
            f"{', '.join(KINDS)}"
        )
    check_folder(Path(path).parent)


def _markdown(part: Part) -> str:
    match part:
        case Text(words):
            return words
        case Note(words):
            return "> " + words.strip().replace("\n", "\n> ")
        case Table():
            return part.markdown()
        case Facts(values, title):
            lines = [f"- {name}: {value}" for name, value in values.items()]
            return "\n".join([f"### {title}\n", *lines] if title else lines)
    return ""


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
        for kind in (Text, Table, Picture, Drawing, Facts, Note)
    }
    environment.filters |= {
        "paragraphs": lambda words: Markup(paragraphs(words)),
        "in_line": lambda words: Markup(in_line(words)),
    }
    return environment.from_string(_file("report.html.j2"))
