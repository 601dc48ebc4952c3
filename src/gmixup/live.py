"""Live: the table of a comparison on a terminal, written over itself while its runs come in."""

import sys
import time
from collections.abc import Sequence
from typing import TextIO

from gmixup.evidence.comparison import Comparison
from gmixup.evidence.pairing import compare_records
from gmixup.evidence.verdict import signed
from gmixup.records import Record

SECONDS = 1.0  # between two pictures of the table
UP, ERASE = "\x1b[{}A", "\x1b[J"  # so many lines up; all below


class Live:
    """Told of each record, it shows how methods stand and how long it will take.

    `shown` None: where the stream is a terminal.
    """

    def __init__(
        self,
        total: int | None,  # None: as many as fit into a time
        records: Sequence[Record] = (),
        shown: bool | None = None,
        stream: TextIO | None = None,
    ):
        self.total, self.stream = total, stream or sys.stderr
        self.shown = self.stream.isatty() if shown is None else shown
        self.records, self.known = list(records), len(records)
        self.begin, self.drawn, self.height = time.monotonic(), 0.0, 0

    def add(self, record: Record) -> None:
        """A run has ended."""
        self.records.append(record)
        if self.shown and time.monotonic() - self.drawn >= SECONDS:
            self.draw()

    def draw(self) -> None:
        """Writes the table over the one before it."""
        lines = [*self._table(), self._time_left()]
        self.clear()
        print("\n".join(lines), file=self.stream, flush=True)
        self.drawn, self.height = time.monotonic(), len(lines)

    def clear(self) -> None:
        """Takes the table away."""
        if self.height:
            print(UP.format(self.height) + ERASE, end="", file=self.stream, flush=True)
        self.height = 0

    def _table(self) -> list[str]:
        if not any(record["cell"]["augmentation"]["name"] == "none" for record in self.records):
            return []
        return list(lines_of(compare_records(self.records)))

    def _time_left(self) -> str:
        done, made = len(self.records), len(self.records) - self.known
        if self.total is None or not made:
            return f"{done} runs"
        left = round((time.monotonic() - self.begin) / made * (self.total - done))
        return f"{done} of {self.total} runs, {left // 60}:{left % 60:02d} left"


def lines_of(comparison: Comparison) -> Sequence[str]:
    """A line for each method: score, difference to the baseline, fits."""
    width = max(len(row.method) for row in comparison.rows)
    lines = []
    for row in comparison.rows:
        score = "–" if row.mean is None else f"{100 * row.mean:6.2f}"
        gain = row.against.mean if row.against else None
        told = "" if gain is None else signed(gain, 2)
        lines.append(f"{row.method:<{width}}  {score:>6}  {told:>7}  {row.fits:>4} fits")
    return lines
