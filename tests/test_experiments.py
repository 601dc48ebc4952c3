"""Tables and figures of the paper: every printed cell is run, and seen from records alone."""

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest

from gmixup import cli, datasets, experiments
from gmixup.evidence.published import Cell as Place
from gmixup.evidence.published import published
from gmixup.evidence.tables import NOT_RUN, Table
from gmixup.experiments._archive import Archive
from gmixup.experiments._base import AbstractExperiment
from gmixup.experiments._cells import SMALL_FIRST, UNKNOWN, Setting
from gmixup.experiments._plan import in_words
from gmixup.experiments._reproduce import tables_of
from gmixup.experiments._trained import AbstractTrained
from gmixup.experiments._work import Work
from gmixup.records import Records, compact, latest
from gmixup.training import Recipe
from gmixup.training.job import Job
from tests.runs import done, failed

PARTS = experiments.room.parts
TRAINED = {name: part for name, part in PARTS.items() if issubclass(part, AbstractTrained)}
PRINTED = {name: part for name, part in TRAINED.items() if part.published}
OWN_NAMES = ("comparisons", "search", "confirmation", "why")  # rows are named by their settings
SMALL = "two-and-eight-communities"
GCN_ON_IMDB = Place("gcn", "none", "IMDB-BINARY")


@dataclass(frozen=True)
class Tiny(AbstractTrained):
    """Two methods on a set that is always at hand."""

    name: ClassVar[str] = "tiny"
    title: ClassVar[str] = "Tiny"

    seeds: int = 2

    def settings(self):
        quick = Recipe.quick(epochs=1, batch_size=64)
        return {
            Place("gcn", method, SMALL): Setting(SMALL, "gcn", method, quick)
            for method in ("none", "resample")
        }


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setitem(PARTS, "tiny", Tiny)


def finished(name, chosen=lambda place: True, test=lambda place, seed: 0.7, fingerprint="f" * 64):
    """Records of all runs of the places of an experiment, as if they had been trained."""
    experiment = PARTS[name]()
    return [
        done(setting.cell(seed, fingerprint).config, test(place, seed), metric="accuracy")
        for place, setting in experiment.settings().items()
        if chosen(place)
        for seed in experiment.each_seed
    ]


def kept_in(folder, records):
    for record in records:
        Records(folder).write(record)
    return folder


def test_every_file_of_the_room_is_one_experiment():
    folder = Path(experiments.__file__).parent
    files = {file.stem for file in folder.glob("*.py") if not file.name.startswith("_")}
    assert sorted(part.__module__.rpartition(".")[2] for part in PARTS.values()) == sorted(files)


@pytest.mark.parametrize("name", PRINTED)
def test_every_printed_cell_is_run_and_only_rows_of_ours_are_more(name):
    settings, printed = PARTS[name]().settings(), published(PARTS[name].published)
    assert set(printed) <= set(settings)
    more = {place.method for place in set(settings) - set(printed)}
    ours = {"g-mixup, our defaults", "resample", "soften"}
    assert more == (ours if name == "performance" else set())
    cells = [setting.cell(0) for setting in settings.values()]
    assert len({cell.key for cell in cells}) == len(settings)  # one to one


def test_all_printed_tables_but_the_computed_one_are_trained():
    tables = {part.published for part in PRINTED.values()}
    assert tables == {
        "performance", "pooling", "gmt", "ogb", "label-corruption", "topology-corruption",
        "lambda-molbbbp", "lambda-molbace",
    }  # fmt: skip
    assert "estimators" in PARTS


@pytest.mark.parametrize("name", TRAINED)
def test_places_say_what_is_run_there(name):
    for place, setting in PARTS[name]().settings().items():
        cell = setting.cell(3)
        told = {setting.augmentation.name, place.method}
        assert len(told) == 1 or told == {"g-mixup", "g-mixup, our defaults"} or name in OWN_NAMES
        assert cell.seed == 3
        known = (*datasets.names(), *TRAINED)
        assert setting.data in known
        if place.column in datasets.names():
            assert place.column == setting.data
        if setting.split == "k-fold":
            assert (cell.split.seed, cell.split.fold) == (0, 3)
        else:
            assert cell.split.seed == 3


def test_runs_that_tables_share_are_the_same_runs():
    def keys(name, chosen=lambda place: True):
        places = PARTS[name]().settings().items()
        return {setting.cell(0).key for place, setting in places if chosen(place)}

    assert keys("training-curves") < keys("performance")
    assert keys("claims") >= keys("depth") | keys("resolution")
    swept = keys("lambda-molbbbp", lambda place: place.column in ("0.25", "none"))
    assert swept < keys("ogb")
    at_mean = keys("resolution", lambda place: place.column in ("×1", "without"))
    assert at_mean < keys("performance")


def test_corruption_and_depth_are_those_of_the_column():
    settings = PARTS["topology-corruption"]().settings()
    corruption = settings[Place("adding edges", "g-mixup", "30%")].corruption
    assert (corruption.edges_added, corruption.edges_removed, corruption.where) == (0.3, 0, "train")
    everywhere = PARTS["label-corruption"](where="all").settings()
    corruption = everywhere[Place("IMDB-BINARY", "none", "40%")].corruption
    assert (corruption.labels, corruption.where) == (0.4, "all")
    depths = PARTS["depth"]().settings()
    assert depths[Place("REDDIT-BINARY", "none", "9")].backbone.depth == 9


def test_a_table_is_shown_from_records_where_the_data_set_is_not(tmp_path):
    level = {"none": 0.7, "g-mixup": 0.74}
    records = finished(
        "performance",
        lambda p: p._replace(method="none") == GCN_ON_IMDB and p.method in level,
        lambda p, seed: level[p.method] + 0.01 * (seed % 2),
    )
    compact(records, tmp_path / "records" / "performance.jsonl")
    said = []
    page = experiments.reproduce(
        "performance", records=tmp_path / "records", root=tmp_path, progress=said.append
    )
    overview, beside, differences = page.tables
    row = dict(zip(overview.header, overview.rows[0], strict=True))
    assert row["IMDB-BINARY"].startswith("70.50 ± 0.53 [70.12, 70.88]")
    assert row["IMDB-MULTI"] == NOT_RUN
    assert any("20 of 900 runs" in note for note in overview.notes)
    cell = next(row for row in beside.rows if row[0] == "gcn · none · IMDB-BINARY")
    assert cell[1:5] == ("70.50 ± 0.53 (10)", "[70.12, 70.88]", "72.18 ± 1.55", cell[4])
    assert cell[4].startswith("−1.68")
    assert [row[:3] for row in differences.rows] == [("gcn", "IMDB-BINARY", "g-mixup")]
    assert "IMDB-BINARY is not among the data sets: what is missing of it is not run" in said


def test_a_missing_cell_is_never_filled_and_a_failed_run_is_said():
    records = finished("depth", lambda p: p == Place("IMDB-BINARY", "none", "2"))
    broken = failed(records[-1]["cell"], "RuntimeError: out of memory")
    depth = PARTS["depth"]()
    results = Archive.of([*records[:-1], broken]).results(depth.settings(), depth.each_seed)
    overview = depth.view(results).tables[0]
    assert overview.rows[0][2].endswith("(9 of 10 runs)")
    assert {cell for row in overview.rows[1:] for cell in row[2:]} == {NOT_RUN}
    assert any("1 runs failed, the first by: RuntimeError" in note for note in overview.notes)


def test_records_of_other_content_do_not_count_where_the_set_is_at_hand():
    records = finished("depth", fingerprint="a" * 64)
    depth = PARTS["depth"]()
    there = Archive.of(records, {"IMDB-BINARY": "b" * 64})
    results = there.results(depth.settings(), depth.each_seed)
    assert there.strangers == ("IMDB-BINARY",)
    complete = {place.group for place, found in results.items() if found.complete}
    assert complete == {"REDDIT-BINARY"}
    assert results[Place("IMDB-BINARY", "none", "2")].missing[0].fingerprint == "b" * 64


def test_dry_run_lists_every_table_with_its_cells(tmp_path):
    kept_in(tmp_path, finished("performance", lambda place: place == GCN_ON_IMDB)[:4])
    page = experiments.reproduce("all", dry_run=True, records=tmp_path, root=tmp_path / "nowhere")
    (table,) = page.tables
    assert {row[0] for row in table.rows} == {*PARTS, "all runs, each once"}
    rows = {row[0]: dict(zip(table.header, row, strict=True)) for row in table.rows}
    row = rows["performance"]
    assert [row[what] for what in ("cells", "runs", "done", "missing")] == ["90", "900", "4", "896"]
    assert row["data not found"].startswith("IMDB-BINARY, IMDB-MULTI, REDDIT-BINARY")
    # Of IMDB-BINARY's GCN there are records of 31.5 s a run, of nothing else.
    assert row["time"] == f"≥ {in_words(31.5 * (90 - 4))}"
    assert rows["gmt"]["time"] == "unknown"
    assert rows["estimators"]["cells"] == "computed"
    assert not list(tmp_path.glob("tables"))


def test_what_is_missing_is_run_set_after_set(tmp_path):
    plan = Work.of("performance", records=tmp_path, root=tmp_path, seeds=1).plan()
    sets = [cell.data for cell in plan.missing(at_hand=False)]
    assert len(sets) == 90
    assert list(dict.fromkeys(sets)) == sorted(set(sets), key=SMALL_FIRST.index)
    assert sets == sorted(sets, key=SMALL_FIRST.index)
    assert plan.missing() == []


def test_claims_look_at_records_and_train_nothing(tmp_path):
    plan = Work.of("claims", records=tmp_path, root=tmp_path).plan()
    assert plan.missing(at_hand=False) == []
    assert dict(zip(plan.table().header, plan.table().rows[0], strict=True))["missing"] == "1500"


def test_dry_run_of_one_table_tells_each_place(tmp_path):
    kept_in(tmp_path, finished("depth", lambda place: place.column == "2"))
    page = experiments.reproduce("depth", dry_run=True, records=tmp_path, root=tmp_path / "nowhere")
    places = page.tables[1]
    assert places.rows[0][:4] == ("IMDB-BINARY", "none", "10 of 10", "0 of 10")
    assert "280 runs are missing" in page.markdown()


def test_only_chooses_by_data_network_method_and_column(tmp_path):
    def runs(*only):
        page = experiments.reproduce("all", only, dry_run=True, records=tmp_path, root=tmp_path)
        return {row[0]: row[2] for row in page.tables[0].rows}

    assert runs("IMDB-BINARY", "gin")["performance"] == "9"
    assert set(runs("IMDB-BINARY", "gin")) == {
        "performance", "claims", "comparisons", "search", "why", "all runs, each once",
    }  # fmt: skip
    assert runs("IMDB-BINARY", "IMDB-MULTI", "gin", "none")["performance"] == "2"
    assert runs("gin-virtual", "0.25") == {
        "lambda-molbace": "1", "lambda-molbbbp": "1", "all runs, each once": "2",
    }  # fmt: skip
    with pytest.raises(
        ValueError, match=r"`only` is 'IMDB-BINRY', which no table has.*did you mean"
    ):
        runs("IMDB-BINRY")
    with pytest.raises(ValueError, match="`only` is gin, but estimators trains nothing"):
        experiments.reproduce("estimators", ["gin"], dry_run=True, records=tmp_path)


def test_what_is_missing_is_trained_elsewhere_as_a_job(tiny, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["reproduce", "tiny", "--records", "records", "--quiet"]
    assert cli.main([*words, "--job", "job.json"]) == 0
    assert "4 runs in job.json" in capsys.readouterr().out
    assert not Path("records").exists()
    made = [record for record, _ in Job.read("job.json").train()]
    assert len(made) == 4
    assert cli.main([*words, "--job", "rest.json"]) == 0
    assert "0 runs in rest.json" in capsys.readouterr().out


def test_what_is_missing_is_trained_once_and_written_in_every_form(tiny, tmp_path):
    folder, out, said = tmp_path / "records", tmp_path / "out", []
    words = {"records": folder, "progress": said.append, "device": "cpu"}
    page = experiments.reproduce("tiny", **words, out=out)
    assert len(Records(folder).keys()) == 4
    assert "4 runs are missing" in said
    assert sorted(file.name for file in out.iterdir()) == ["tiny.html", "tiny.md", "tiny.tex"]
    assert tables_of(page) in (out / "tiny.md").read_text(encoding="utf-8")
    said.clear()
    again = experiments.reproduce("tiny", **words)
    assert said == []
    assert tables_of(again) == tables_of(page)
    more = experiments.reproduce("tiny", seeds=3, show=True, **words)
    assert "(2 of 3 runs)" in tables_of(more)
    assert len(Records(folder).keys()) == 4


def test_computed_tables_are_kept_by_their_settings(monkeypatch, tmp_path):
    calls = []

    @dataclass(frozen=True)
    class Echo(AbstractExperiment):
        name: ClassVar[str] = "echo"

        def run(self, progress=print):
            calls.append(self.seed)
            return [Table("Echo", ("seed",), [(str(self.seed),)])]

    monkeypatch.setitem(PARTS, "echo", Echo)
    words = {"records": tmp_path, "progress": lambda line: None}
    first = experiments.reproduce("echo", **words)
    assert tables_of(experiments.reproduce("echo", **words)) == tables_of(first)
    experiments.reproduce("echo", seed=7, **words)
    assert calls == [0, 7]
    file, _ = (tmp_path / "tables").glob("echo-*.json")
    assert json.loads(file.read_text(encoding="utf-8"))["experiment"] == "echo"
    shown = experiments.reproduce("echo", seed=8, show=True, **words)
    assert shown.tables[0].notes == ("not run",)
    assert calls == [0, 7]
    dry = experiments.reproduce("echo", dry_run=True, **words)
    assert dry.tables[0].rows[0][:7] == ("echo", "–", "computed", "1", "1", "0", "0")


def test_what_needs_a_set_that_is_not_there_is_not_run(tmp_path):
    page = experiments.reproduce("class-graphons", records=tmp_path, root=tmp_path / "nowhere")
    assert page.tables[0].notes[0].startswith("not run: IMDB-BINARY, REDDIT-BINARY, IMDB-MULTI")
    assert not list(tmp_path.iterdir())


def test_p_values_of_lambda_are_as_the_paper_takes_them_and_sound():
    better = {"0.45": 0.05, "0.10": 0.02}

    def test(place, seed):
        return 0.6 + better.get(place.column, 0) + 0.01 * (seed % 3)

    records = finished("lambda-molbbbp", lambda place: place.group == "gin", test)
    for record in records:  # on validation another λ is best
        lam = record["cell"]["augmentation"].get("lam")
        record["scores"]["validation"] = 0.9 if lam == 0.1 else 0.7
    part = PARTS["lambda-molbbbp"]()
    view = part.view(Archive.of(records).results(part.settings(), part.each_seed))
    rows = {row[0]: row for row in view.tables[-1].rows}
    assert rows["gcn"][3:] == (NOT_RUN,) * 6
    _, printed, recomputed, best, p, ten, chosen, _, gain = rows["gin"]
    assert (printed, recomputed, best, chosen) == ("0.0109", "0.0484", "0.45", "0.10")
    assert float(ten) == pytest.approx(10 * float(p), rel=0.02)
    assert gain.startswith("+2.00 [")
    assert list(view.figures) == ["lambda-molbbbp-gin"]


def test_figures_are_drawn_from_what_is_there():
    for name in ("depth", "resolution", "training-curves"):
        part = PARTS[name]()
        results = Archive.of(finished(name, lambda place: True)).results(
            part.settings(), part.each_seed
        )
        assert part.view(results).figures
        nothing = {place: replace(found, done=()) for place, found in results.items()}
        assert not part.view(nothing).figures


def test_a_setting_without_data_has_a_fingerprint_that_no_record_has():
    assert Setting("IMDB-BINARY", "gcn", "none").cell(0).fingerprint == UNKNOWN


def test_results_are_written_from_records_alone(tmp_path):
    folder = kept_in(tmp_path / "records", finished("depth", lambda place: place.column == "2"))
    for name in ("one.md", "two.md"):
        experiments.write_results(folder, tmp_path / name)
    text = (tmp_path / "one.md").read_text(encoding="utf-8")
    assert text.index("## claims") < text.index("## performance") < text.index("## depth")
    assert all(f"## {name}\n" in text for name in PARTS)
    assert "70.00 ± 0.00 [70.00, 70.00]" in text
    assert text.count(NOT_RUN) > 100
    assert text.replace("one.md", "two.md") == (tmp_path / "two.md").read_text(encoding="utf-8")


def test_compacting_keeps_every_run_with_its_first_table(tmp_path):
    chosen = finished("training-curves", lambda place: place.column == "IMDB-BINARY")
    deep = finished("depth", lambda place: place.column == "9")
    stranger = done(chosen[0]["cell"] | {"data": "MUTAG"})
    broken = failed(deep[0]["cell"])
    kept_in(tmp_path, [*chosen, *deep[1:], stranger, broken])
    files = experiments.compact_tables(tmp_path)
    assert sorted(file.name for file in files) == ["depth.jsonl", "performance.jsonl"]
    left = {file.stem for file in tmp_path.glob("*.json")}
    assert left == {stranger["key"], broken["key"]}
    assert len(latest(Records(tmp_path).all())) == len(chosen) + len(deep) + 1
    # Later runs join those that lie there.
    kept_in(tmp_path, deep[:1])
    experiments.compact_tables(tmp_path)
    assert len((tmp_path / "depth.jsonl").read_text(encoding="utf-8").splitlines()) == len(deep)
    depth = PARTS["depth"]()
    results = Archive.of(Records(tmp_path).all()).results(depth.settings(), depth.each_seed)
    # Nine layers, and four: those are the runs of the table of performance.
    assert sum(found.complete for found in results.values()) == 4 + 2


def test_the_documentation_counts_the_runs_as_they_are(tmp_path):
    text = (Path(__file__).parents[1] / "docs" / "reproduction.md").read_text(encoding="utf-8")
    told = {}
    for names, places, runs in re.findall(
        r"^\| (`.*?) \| .* \| (\d+).*? \| (\d+).*? \|$", text, re.M
    ):
        told |= dict.fromkeys(re.findall(r"`([\w-]+)`", names), (places, runs))
    table = Work.of(records=tmp_path, root=tmp_path).plan().table()
    rows = {row[0]: row[2:4] for row in table.rows}
    assert told == {name: rows[name] for name in TRAINED}
    assert f"are {rows['all runs, each once'][1]}." in text
    assert all(f"`{name}`" in text for name in PARTS)
