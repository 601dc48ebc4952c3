"""The three tables that ask whether anything helps: their rows, controls and verdicts."""

from dataclasses import replace

from gmixup.evidence.tables import NOT_RUN, Table
from gmixup.experiments._archive import Archive
from gmixup.experiments._computed import keep
from gmixup.experiments.comparisons import Comparisons
from gmixup.experiments.confirmation import Confirmation, best
from gmixup.experiments.search import Search, controls, tried
from gmixup.experiments.search_fidelity import SearchFidelity, alike
from gmixup.experiments.why import REAL, Why
from tests.runs import done


def view(experiment, test, seeds, validation=0.5):
    records = []
    for place, setting in experiment.settings().items():
        for seed in range(seeds):
            record = done(setting.cell(seed, "f" * 64).config, test(place, seed), metric="accuracy")
            record["scores"]["validation"] = validation(place) if callable(validation) else 0.5
            record["graphs"] = {"train": 80, "validation": 100, "test": 100, "added": 0}
            records.append(record)
    results = Archive.of(records).results(experiment.settings(), experiment.each_seed)
    return experiment.view(results).tables


def noise(seed):
    return (seed * 37 % 11) / 1000


def test_a_gain_that_controls_share_is_not_g_mixups():
    def test(place, seed):
        gain = 0.2 if place.method in ("g-mixup, our defaults", "soften") else 0.0
        return 0.6 + noise(seed) + gain * (place.group == "gin") + 0.001 * (seed % 3 == 0)

    _, verdicts, told = view(replace(Comparisons(), seeds=20), test, 20)
    words = {row[:3]: row[3] for row in verdicts.rows}
    assert words["gin", "MUTAG", "g-mixup, our defaults"] == "no better than its control"
    assert words["gcn", "MUTAG", "g-mixup, our defaults"] == "no difference seen"
    assert words["gin", "PROTEINS, a tenth", "drop-edge"] == "no difference seen"
    beside = {row[2] for row in told.rows if row[:2] == ("gin", "MUTAG")}
    own = "g-mixup, our defaults"
    assert {f"{own} beside {name}" for name in ("resample", "soften")} <= beside
    assert {f"{own} beside g-mixup {name}" for name in ("without mixing", "of mere densities")} <= (
        beside
    )
    # Six differences to none and four to controls, in sixteen comparisons.
    assert "160 differences" in told.notes[0]


def test_the_search_is_in_the_order_of_validation_whatever_test_says():
    def validation(place):
        return {"ratio 2": 0.9, "soften, ratio 1": 0.8}.get(place.method, 0.5)

    tables = view(
        replace(Search(), seeds=3),
        lambda place, seed: 0.5 + noise(seed) - 0.1 * (place.method == "ratio 2"),
        3,
        validation,
    )
    names = [row[0] for row in tables[1].rows]
    assert names[:2] == ["ratio 2", "soften, ratio 1"]
    assert len(names) == len(tried()) + len(controls())
    assert tables[1].rows[0][1:3] == ("G-Mixup", "+40.00")


def test_what_is_confirmed_was_tried_and_has_its_controls():
    assert best() in tried().values()
    assert len(Confirmation().settings()) == 3 * 6
    tables = view(
        replace(Confirmation(), seeds=10),
        lambda place, seed: 0.6 + noise(seed) + 0.2 * (place.method == "the best"),
        10,
    )
    words = {row[:3]: row[3] for row in tables[1].rows}
    assert words["gin", "DD", "the best"] == "helps"


def test_distance_and_gain_stand_side_by_side(tmp_path):
    names = list(alike())
    why = replace(Why(), seeds=4, folder=tmp_path)

    def test(place, seed):
        place_in = names.index(place.method) if place.method in names else 20
        return 0.5 + noise(seed) + (0 if place.method == "none" else 0.01 * (20 - place_in))

    header = ("settings", "all sets", "IMDB-BINARY", "PROTEINS")
    rows = [(name, "1", f"{1 + place}", "2") for place, name in enumerate(names)]
    *_, before = view(why, test, 4)
    assert before.rows[0][1:] == (NOT_RUN,) * 4
    keep(tmp_path, SearchFidelity(), [Table("ranking", header, rows)], 1.0)
    *_, told = view(why, test, 4)
    lines = {row[0]: row[1:3] for row in told.rows}
    assert lines[names[0]] == ("1.00", "+20.00 [+20.00, +20.00]")
    assert lines[REAL][0] == "1.00"
    assert "IMDB-BINARY: Spearman's correlation of ratio and gain over 12 settings is −1.00" in (
        " ".join(told.notes)
    )
