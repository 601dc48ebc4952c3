"""Demo: the whole story on an embedded data set, from graphs to a tested answer, in one page."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from gmixup import fidelity
from gmixup.atomic import check_folder, whole_files
from gmixup.augmentations.g_mixup import GMixup
from gmixup.comparing import Answer, compare
from gmixup.datasets.synthetic import TwoAndEightCommunities
from gmixup.evidence.page import Page, Section, Text
from gmixup.evidence.pictures import Picture
from gmixup.evidence.tables import Table
from gmixup.graphon import Graphon
from gmixup.graphs import GraphSet
from gmixup.plots import draw_graphons, draw_graphs, save_figure

# Small enough for a minute, hard enough that a network does not tell the classes at once.
DATA = TwoAndEightCommunities(graphs=80, nodes=(20, 40))
METHOD = GMixup(ratio=1.0)
BACKBONE, EPOCHS, SPLITS = "gin:depth=2,width=16", 8, 10
DRAWN = 5  # graphs of each kind in the picture
MEASURED = 200  # graphs of each class that are drawn to be held beside the real ones

# Graphs are drawn for the page as G-Mixup draws them.
AS_MIXED: dict[str, Any] = {"density": METHOD.density, "isolated": METHOD.isolated}

Say = Callable[[str], None]


def tell_story(folder: str | Path, seed: int = 0, say: Say = print, splits: int = SPLITS) -> Answer:
    """Writes `report.html`, its pictures and the records of its runs; says what it is doing.

    In one process: to start a second one costs what the half of the runs does.
    """
    check_folder(folder := Path(folder))
    graphs = DATA.load()
    say(f"{DATA.name}: {graphs}")
    say("1 estimate: a graphon for each class, and 2 mix: half and half")
    graphons = _graphons(graphs)
    for name, graphon in graphons.items():
        say(f"  {name}: {graphon}")
    say(f"3 sample: {DRAWN} graphs from each, and {MEASURED} of each class for")
    say("4 fidelity: how like the real graphs they are")
    likeness = [_likeness(name, real, graphons, seed) for name, real in _classes(graphs).items()]
    say("5 train: without and with G-Mixup, and its controls, on the same splits")
    answer = compare(
        DATA,
        BACKBONE,
        [METHOD],
        splits,
        recipe="quick",
        epochs=EPOCHS,
        seed=seed,
        device="cpu",
        out=folder / "records",
    )
    say(answer.table.markdown())
    say(f"6 verdict: {answer.verdict}")
    say(f"  {answer.on_collection}\n  {answer.sight}")
    _write(folder, answer, _pictures(graphs, graphons, seed), likeness)
    say(f"report: {folder / 'report.html'}")
    return answer


def _classes(graphs: GraphSet) -> dict[str, GraphSet]:
    return {f"class {label}": part for label, part in graphs.by_class().items()}


def _graphons(graphs: GraphSet) -> dict[str, Graphon]:
    """Of the first class, half and half, and of the second, as G-Mixup estimates them."""
    first, second = METHOD.fit(graphs).graphons
    return {"class 0": first, "half and half": first.mix(second, 0.5), "class 1": second}


def _likeness(name: str, real: GraphSet, graphons: Mapping[str, Graphon], seed: int) -> Table:
    """How far graphs drawn from the graphon of a class are from its real ones."""
    drawn = graphons[name].sample_many(MEASURED, seed=seed, **AS_MIXED)
    found = fidelity.compare(real, drawn)
    rows = [
        (row.name, _number(row.real), _number(row.synthetic), _number(row.ratio))
        for row in found.rows
    ]
    notes = ("Ratio: the distance in units of that between random halves of the real graphs.",)
    return Table(
        f"Drawn from the graphon of {name}", ("property", "real", "drawn", "ratio"), rows, notes
    )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"


def _pictures(graphs: GraphSet, graphons: Mapping[str, Graphon], seed: int) -> dict[str, Picture]:
    """Graphons and graphs, by the names of their files."""
    truth = {f"{name}, true": g for name, g in zip(_classes(graphs), DATA.graphons(), strict=True)}
    return {
        "graphons": Picture(
            draw_graphons({**truth, **graphons}, columns=3),
            "The graphons that the graphs were drawn from, those estimated for each class, and "
            "their mixture; dark is a likely edge. Nodes are put in order by their degree, which "
            "in graphs of 20 to 40 nodes says little of the community: much of it is smeared.",
        ),
        "graphs": Picture(
            draw_graphs(_examples(graphs, graphons, seed)),
            "Real graphs, and graphs drawn from each graphon.",
        ),
    }


def _examples(graphs: GraphSet, graphons: Mapping[str, Graphon], seed: int) -> dict[str, list]:
    """Networkx graphs by row: real ones of both classes, and some drawn from each graphon."""
    first, second = (
        {f"real, {name}": part.subset(torch.arange(DRAWN))}
        for name, part in _classes(graphs).items()
    )
    drawn = {
        f"drawn, {name}": graphon.sample_many(DRAWN, seed=seed)
        for name, graphon in graphons.items()
    }
    return {name: part.to_networkx() for name, part in {**first, **drawn, **second}.items()}


def _write(
    folder: Path, answer: Answer, pictures: Mapping[str, Picture], likeness: list[Table]
) -> None:
    """The report, and its pictures as files of their own; all there or none."""
    seen = [
        Section(
            "The graphons", [Text(f"`{DATA.name}`: {type(DATA).__doc__}"), pictures["graphons"]]
        ),
        Section("Real graphs and drawn ones", [pictures["graphs"]]),
        Section("How like the real graphs the drawn ones are", likeness),
    ]
    page = answer.page
    first, *rest = page.sections
    page = Page(page.title, page.verdict, [first, *seen, *rest])
    with whole_files(folder, last="report.html") as draft:
        page.save(draft / "report.html")
        for name, picture in pictures.items():
            save_figure(picture.figure, draft / f"{name}.png")
