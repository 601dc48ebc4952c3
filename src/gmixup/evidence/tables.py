"""Tables: text cells that are shown as Markdown, LaTeX and HTML."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from gmixup.evidence.prose import in_line

NOT_RUN = "not run"
# What stands where there is no number; such cells go last, however a table is sorted.
BLANKS = {"", "–", "—", "-", "n/a", NOT_RUN, "not known"}
NUMBER = re.compile(r"[\s\[(<>≤≥≈~]*([+-]?\d+(?:,\d{3})*(?:\.\d+)?(?:[eE][+-]?\d+)?)")
# What LaTeX reads as a command, and letters that its fonts lack outside of mathematics.
LATEX = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "[": "{[}",  # after a line's end a bracket would be read as a distance
    "]": "{]}",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "²": r"\textsuperscript{2}",
    "³": r"\textsuperscript{3}",
    **{
        sign: f"${command}$"
        for sign, command in {
            "±": r"\pm",
            "−": "-",
            "×": r"\times",
            "·": r"\cdot",
            "≤": r"\le",
            "≥": r"\ge",
            "≈": r"\approx",
            "→": r"\to",
            "∞": r"\infty",
            "‖": r"\|",
            "α": r"\alpha",
            "β": r"\beta",
            "λ": r"\lambda",
            "σ": r"\sigma",
        }.items()
    },
}


@dataclass(frozen=True)
class Table:
    """A table as it is shown: text cells, with what a reader must know below it."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    def __post_init__(self):
        for row in self.rows:
            if len(row) != len(self.header):
                raise ValueError(
                    f"`rows` of the table {self.title!r} has a row of {len(row)} cells, {row!r}; "
                    f"the header has {len(self.header)}: give one cell for each"
                )

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Whether each column holds numbers, apart from blanks."""
        columns = [[row[place] for row in self.rows] for place in range(len(self.header))]
        told = [[cell for cell in column if not is_blank(cell)] for column in columns]
        return tuple(bool(c) and all(first_number(cell) is not None for cell in c) for c in told)

    def markdown(self) -> str:
        """The table in Markdown, columns padded so that it reads as plain text too."""
        lines = [[_in_one_line(cell).replace("|", "\\|") for cell in line] for line in self._lines]
        widths = [max(len(line[place]) for line in lines) for place in range(len(self.header))]
        padded = [
            "| "
            + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
            + " |"
            for line in lines
        ]
        rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
        notes = ["", *(f"- {note}" for note in self.notes)] if self.notes else []
        return "\n".join([f"**{self.title}**", "", padded[0], rule, *padded[1:], *notes]) + "\n"

    def __str__(self) -> str:
        return self.markdown().rstrip("\n")

    def latex(self) -> str:
        """The table in LaTeX, with the rules of the package `booktabs`."""
        head, *body = (" & ".join(map(_latex, line)) + r" \\" for line in self._lines)
        columns = "".join("r" if numeric else "l" for numeric in self.numeric)
        return "\n".join(
            [
                r"% needs \usepackage{booktabs}",
                r"\begin{table}",
                r"  \centering",
                f"  \\caption{{{_latex(self.title)}}}",
                f"  \\begin{{tabular}}{{{columns}}}",
                r"    \toprule",
                f"    {head}",
                r"    \midrule",
                *(f"    {line}" for line in body),
                r"    \bottomrule",
                r"  \end{tabular}",
                *(f"  \\par\\smallskip\\footnotesize {_latex(note)}" for note in self.notes),
                r"\end{table}",
                "",
            ]
        )

    def html(self) -> str:
        """The `<table>` alone; cells of numeric columns carry the number they are sorted by."""
        kinds = ["number" if numeric else "text" for numeric in self.numeric]
        head = "".join(
            f'<th scope="col" class="{kind}">{escape(name)}</th>'
            for name, kind in zip(self.header, kinds, strict=True)
        )
        body = "\n".join(
            f"<tr>{''.join(map(_html, row, kinds, range(len(row))))}</tr>" for row in self.rows
        )
        return (
            f"<table>\n<caption>{escape(self.title)}</caption>\n"
            f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
        )

    @property
    def _lines(self) -> list[Sequence[str]]:
        return [self.header, *self.rows]


def is_blank(cell: str) -> bool:
    """Whether a cell stands for a number that is not there."""
    return cell.strip().lower() in BLANKS


def first_number(cell: str) -> float | None:
    """The number that a cell begins with, 72.2 in "72.2 ± 1.5"; None where it begins otherwise."""
    found = NUMBER.match(cell.replace("−", "-"))
    return float(found[1].replace(",", "")) if found else None


def _in_one_line(cell: str) -> str:
    return " ".join(cell.split())


def _latex(text: str) -> str:
    return "".join(LATEX.get(sign, sign) for sign in _in_one_line(text))


def _html(cell: str, kind: str, place: int) -> str:
    name, scope = ("th", ' scope="row"') if place == 0 else ("td", "")
    number = first_number(cell) if kind == "number" and not is_blank(cell) else None
    value = "" if number is None else f' data-value="{number!r}"'
    blank = " blank" if is_blank(cell) else ""
    return f'<{name}{scope} class="{kind}{blank}"{value}>{in_line(cell)}</{name}>'
