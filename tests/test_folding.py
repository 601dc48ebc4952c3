"""Any folder of records as one page: groups, names, the head, what failed, how it was made."""

import re
from pathlib import Path

import numpy as np
import pytest

from gmixup.evidence.answer import answer, answers
from gmixup.evidence.comparison import compare_scores
from gmixup.evidence.drawings import Drawing
from gmixup.evidence.folding import MOST_DRAWN, fold
from gmixup.evidence.groups import flat, group
from gmixup.evidence.naming import default_label, shown
from gmixup.evidence.page import Facts, Note, Text
from gmixup.evidence.tables import Table
from gmixup.records import Records
from tests.runs import cell, comparison, done, failed

LEVELS = {"none": 0.70, "resample": 0.70, "soften": 0.71, "g-mixup": 0.78, "drop-edge": 0.60}


def parts(page, section, kind):
    return [part for part in page.sections[section].parts if isinstance(part, kind)]


def test_runs_are_grouped_by_all_but_augmentation_split_and_seed():
    records = [
        done(cell(method, fit, seed, data=data))
        for method in ("none", "g-mixup")
        for fit in range(12)
        for seed in range(2)
        for data in ("B", "A")
    ]
    groups = group(records)
    assert [one.name for one in groups] == ["A, gin", "B, gin"]
    assert [len(one.records) for one in groups] == [48, 48]
    assert groups[0].settings["recipe.epochs"] == 300
    assert "seed" not in groups[0].settings
    assert "split.fold" not in groups[0].settings


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"backbone": {"name": "gcn", "depth": 5, "width": 64}}, "IMDB-BINARY, gcn"),
        ({"backbone": {"name": "gin", "depth": 9, "width": 64}}, "IMDB-BINARY, gin, depth 9"),
        (
            {"recipe": {"epochs": 800, "learning_rate": 0.01, "metric": "accuracy"}},
            "IMDB-BINARY, gin, epochs 800",
        ),
        ({"fingerprint": "1" * 64}, "IMDB-BINARY, gin, fingerprint 11111111"),
        ({"features": "constant"}, "IMDB-BINARY, gin, features constant"),
        ({"corruption": {"labels": 0.2}}, "IMDB-BINARY, gin, label noise 0.2"),
        (
            {"split": {"kind": "ratios", "seed": 0, "fold": None, "train_fraction": 1.0}},
            "IMDB-BINARY, gin, splits ratios, folds None",
        ),
    ],
)
def test_a_group_is_called_by_what_differs(changes, name):
    names = {one.name for one in group([done(cell()), done(cell(**changes))])}
    assert len(names) == 2
    assert any(found.startswith(name) for found in names), names


def test_few_labels_and_corruption_are_always_told():
    split = {"kind": "k-fold", "seed": 0, "fold": 0, "folds": 10, "train_fraction": 0.1}
    noise = {"labels": 0.0, "edges_added": 0.3, "edges_removed": 0.0, "where": "train"}
    (one,) = group([done(cell(split=split, corruption=noise))])
    assert one.name == "IMDB-BINARY, gin, train fraction 0.1, edges added 0.3"


def test_spellings_of_one_setting_are_one_group():
    split = {"kind": "k-fold", "seed": 0, "fold": 0, "folds": 10, "train_fraction": 1}
    assert len(group([done(cell()), done(cell(split=split))])) == 1


def test_settings_are_flat_and_shown_as_one_would_write_them():
    assert flat({"a": {"b": 1, "c": {"d": [1]}}, "e": None}) == {"a.b": 1, "a.c.d": [1], "e": None}
    assert shown({"name": "lg", "resolution": 8}) == "lg(resolution=8)"
    assert shown([0.1, 0.2]) == "0.1–0.2"
    assert shown({"a": 1}) == "(a=1)"


def test_a_method_is_bare_where_only_controls_differ_from_it():
    records = [done(cell("g-mixup")), done(cell("unmixed")), done(cell("soften"))]
    label = default_label(records)
    assert [label(record) for record in records] == ["g-mixup", "g-mixup (lam=1)", "soften"]


def test_a_setting_that_a_record_lacks_is_told_from_none():
    older, newer = {"name": "drop-edge"}, {"name": "drop-edge", "share": None}
    records = [done(cell(augmentation=own)) for own in (older, newer)]
    label = default_label(records)
    assert [label(record) for record in records] == [
        "drop-edge (share=not told)",
        "drop-edge (share=None)",
    ]
    assert len(fold(records).tables[0].rows) == 2


def test_one_comparison_has_its_verdict_first():
    page = fold(comparison(LEVELS), "IMDB-BINARY by gin")
    assert page.verdict.words == "g-mixup helps; drop-edge hurts"
    assert page.verdict.outcome == ""
    assert page.verdict.remarks[0].startswith("For new graphs of this kind: g-mixup helps: +")
    assert page.verdict.remarks[1].startswith("On this collection: g-mixup +")
    assert [section.title for section in page.sections] == ["IMDB-BINARY, gin", "How it was made"]
    assert parts(page, 0, Table)[0].title == "Differences to none"
    assert len(parts(page, 0, Drawing)) == 2
    assert "What could have been seen" in parts(page, 0, Note)[0].words
    assert not parts(page, 0, Text)


def test_several_comparisons_are_counted_and_listed():
    records = [
        record
        for data, gain in (("A", 0.08), ("B", 0.0))
        for record in comparison(LEVELS | {"g-mixup": 0.70 + gain}, data=data)
    ]
    page = fold(records)
    assert page.verdict.words == "Augmentation helps in 1 of 4 comparisons"
    assert page.verdict.remarks[0] == (
        "`g-mixup` helps 1×, no difference seen 1×; `drop-edge` hurts 2×."
    )
    assert (
        "Each of the 2 groups of runs is corrected for its own tests only"
        in (page.verdict.remarks[1])
    )
    (table,) = parts(page, 0, Table)
    assert [(row[0], row[1], row[2]) for row in table.rows] == [
        ("A, gin", "g-mixup", "helps"),
        ("A, gin", "drop-edge", "hurts"),
        ("B, gin", "g-mixup", "no difference seen"),
        ("B, gin", "drop-edge", "hurts"),
    ]
    assert parts(page, 1, Text)[0].words.startswith("g-mixup helps: +")


def test_without_a_baseline_there_are_means_with_intervals():
    page = fold(comparison({"g-mixup": 0.7, "drop-edge": 0.6}, fits=20))
    assert page.verdict.words == "40 runs"
    assert page.verdict.remarks[0].startswith("Nothing is compared: no group holds both")
    (table,) = parts(page, 0, Table)
    assert table.title == "Means"
    assert [row[0] for row in table.rows] == ["g-mixup", "drop-edge"]
    mean = np.mean([r["scores"]["test"] for r in comparison({"g-mixup": 0.7}, fits=20)])
    assert table.rows[0][1].startswith(f"{100 * mean:.2f} ± ")
    assert " to " in table.rows[0][3]


def test_another_baseline_may_be_named():
    records = comparison({"resample": 0.7, "drop-edge": 0.6})
    assert "the baseline `x` and something beside it" in fold(records, "", "x").verdict.remarks[0]
    page = fold(records, baseline="resample")
    assert page.verdict.words == "drop-edge hurts"


def test_groups_with_and_without_a_baseline_stand_in_one_table():
    records = comparison({"none": 0.7, "drop-edge": 0.7}, data="A")
    page = fold(records + comparison({"none": 0.7}, data="B"))
    words = [row[:3] for row in parts(page, 0, Table)[0].rows]
    assert words == [
        ("A, gin", "drop-edge", "no difference seen"),
        ("B, gin", "none", "not compared"),
    ]
    assert page.verdict.words == "No difference between none and drop-edge seen"


def test_what_failed_is_said():
    records = comparison(LEVELS, fits=6)
    records += [failed(cell("g-mixup", fit), "RuntimeError: out\n of memory") for fit in (6, 7)]
    records.append(failed(cell("none", 8), "ValueError: " + "x" * 900))
    page = fold(records)
    (table,) = page.sections[-2].parts
    assert page.sections[-2].title == "Failed"
    assert table.rows[0] == ("IMDB-BINARY, gin", "g-mixup", "RuntimeError: out of memory", "2")
    assert len(table.rows[1][2]) == 160
    assert page.sections[-1].parts[0].values["failed"] == 3


def test_how_it_was_made():
    records = comparison({"none": 0.7, "drop-edge": 0.6}, fits=6)
    records[0] |= {"seconds": 5.0, "device": "cuda", "date": "2026-02-01T00:00:00+00:00"}
    del records[1]["versions"]
    values = fold(records).sections[-1].parts[0].values
    assert values == {
        "runs": 12,
        "failed": 0,
        "dates": "2026-01-02 to 2026-02-01",
        "time of all runs": "352 s",
        "devices": "cpu (11), cuda (1)",
        "gmixup": "0.1.0 (11), not told (1)",
        "torch": "2.13.0 (11), not told (1)",
    }


def test_settings_leave_out_a_corruption_that_there_is_not():
    page = fold(comparison({"none": 0.7}, fits=3))
    values = parts(page, 0, Facts)[0].values
    assert values["network"] == "gin"
    assert values["epochs"] == "300"
    assert values["fingerprint"] == "00000000"
    assert "label noise" not in values
    assert "spoilt" not in values
    noise = {"labels": 0.2, "edges_added": 0.0, "edges_removed": 0.0, "where": "train"}
    values = parts(fold(comparison({"none": 0.7}, fits=3, corruption=noise)), 0, Facts)[0].values
    assert values["label noise"] == "0.2"
    assert values["spoilt"] == "train"
    assert "edges added" not in values


def test_runs_without_curves_sizes_or_versions_are_folded_too():
    records = comparison({"none": 0.7, "g-mixup": 0.8}, fits=6)
    bare = [
        {
            name: value
            for name, value in record.items()
            if name not in ("curve", "graphs", "versions")
        }
        for record in records
    ]
    page = fold(bare)
    assert page.verdict.words == "g-mixup is not tested"
    assert "nothing can be said of new graphs" in parts(page, 0, Note)[0].words
    assert not parts(page, 0, Drawing)


def test_curves_of_very_many_groups_are_left_out():
    records = [done(cell(data=f"{number:03}"), epochs=2) for number in range(MOST_DRAWN + 1)]
    page = fold(records)
    assert parts(page, MOST_DRAWN, Drawing)
    assert not parts(page, MOST_DRAWN + 1, Drawing)


def test_no_records_are_said_to_be_none(tmp_path):
    page = fold([], "Runs")
    assert page.verdict.words == "No runs yet: no record was found."
    page.save(tmp_path / "report.html")


def test_the_order_of_records_does_not_matter():
    records = comparison(LEVELS, fits=6) + comparison({"none": 0.7}, fits=3, data="A")
    again = sorted(records, key=lambda record: record["key"])
    first, second = fold(records), fold(again)
    assert first.verdict.outcome == second.verdict.outcome
    assert [section.title for section in first.sections] == [
        section.title for section in second.sections
    ]
    rows = [sorted(table.rows) for table in first.tables]
    assert rows == [sorted(table.rows) for table in second.tables]


def compared(seed=0, **levels):
    stream = np.random.default_rng(seed)
    split = stream.normal(0, 0.03, 30)
    scores = {name: level + split + stream.normal(0, 0.02, 30) for name, level in levels.items()}
    return compare_scores(scores, train=720, test=100, controls={})


@pytest.mark.parametrize(
    ("levels", "words", "outcome"),
    [
        ({"a": 0.8}, "a helps", "helps"),
        ({"a": 0.8, "b": 0.8}, "a and b help", "helps"),
        ({"a": 0.6}, "a hurts", "hurts"),
        ({"a": 0.6, "b": 0.7}, "a hurts; no difference between none and b seen", "hurts"),
        ({"a": 0.7}, "No difference between none and a seen", "no difference"),
        ({"a": 0.8, "b": 0.6}, "a helps; b hurts", ""),
        ({}, "Nothing but `none` and controls has been run.", ""),
    ],
)
def test_the_head_of_a_comparison(levels, words, outcome):
    head = answer(compared(none=0.7, **levels))
    assert (head.words, head.outcome) == (words, outcome)


def test_the_head_of_many_comparisons():
    head = answers({"x": compared(none=0.7, a=0.8), "y": compared(none=0.7, a=0.7)})
    assert head.words == "a helps in 1 of 2 comparisons"
    assert head.remarks[0] == "Helps 1×, no difference seen 1×."
    assert head.outcome == "helps"
    assert answers({"x": compared(none=0.7, a=0.8)}).words == "a helps"
    assert answers({"x": compared(none=0.7), "y": compared(none=0.7)}).words == (
        "Nothing but baselines and controls has been run."
    )


def test_the_example_of_the_documentation_runs(tmp_path, monkeypatch):
    text = (Path(__file__).parents[1] / "docs" / "report.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    for record in comparison(LEVELS, fits=6):
        Records("runs").write(record)
    exec(compile(code, "report.md", "exec"), {})
    assert sorted(file.name for file in tmp_path.glob("report.*")) == [
        "report.html",
        "report.md",
        "report.tex",
    ]
    assert "drop-edge" in (tmp_path / "report.tex").read_text(encoding="utf-8")
