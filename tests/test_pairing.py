"""From records to scores on the same fits: failed, missing and repeated runs."""

import numpy as np
import pytest

from gmixup.evidence.naming import default_label
from gmixup.evidence.pairing import compare_records, pair_up, summarise
from tests.runs import AUGMENTATIONS, cell, comparison, done, failed

LEVELS = {"none": 0.70, "resample": 0.70, "soften": 0.72, "g-mixup": 0.76}


def test_runs_are_paired_by_split_and_seed_whatever_their_order():
    records = [
        done(cell(method, fit, seed), 0.5 + fit / 100 + seed / 1000 + (method == "g-mixup") / 10)
        for method in ("none", "g-mixup")
        for fit in range(20)
        for seed in range(2)
    ]
    np.random.default_rng(0).shuffle(records)
    fits = pair_up({name: [r for r in records if r["cell"]["augmentation"]["name"] == name]
                    for name in ("none", "g-mixup")})  # fmt: skip
    assert fits.scores["none"].shape == (20, 2)
    assert fits.scores["g-mixup"] - fits.scores["none"] == pytest.approx(0.1)
    assert fits.scores["none"][3] == pytest.approx([0.53, 0.531])
    assert fits.repeats.tolist() == [0] * 10 + [1] * 10
    assert (fits.train, fits.test) == (800, 100)


def test_failed_and_missing_runs_are_gaps():
    records = comparison({"none": 0.7, "g-mixup": 0.8}, fits=10)
    records[3] = failed(records[3]["cell"])
    del records[15]
    made = compare_records(records)
    assert [row.fits for row in made.rows] == [9, 9]
    assert made.rows[1].against.fits == 8
    assert made.rows[1].against.dropped == 2


def test_a_method_of_which_all_runs_failed_is_not_tested():
    records = comparison({"none": 0.7}, fits=10)
    records += [failed(cell("g-mixup", fit)) for fit in range(10)]
    made = compare_records(records)
    assert made.rows[1].mean is None
    assert made.verdict == "g-mixup: not tested, on 0 fits."


def test_two_records_of_one_run_are_refused():
    records = comparison({"none": 0.7, "g-mixup": 0.8}, fits=5)
    with pytest.raises(
        ValueError, match=r"'none' has two records on the split \(0, 0\) with the seed 0; give one"
    ):
        compare_records([*records, records[0]])


def test_g_mixup_finds_its_controls():
    made = compare_records(comparison(LEVELS | {"unmixed": 0.7, "drop-edge": 0.7}))
    roles = {row.method: row.role for row in made.rows}
    assert roles == {
        "none": "baseline",
        "resample": "control",
        "soften": "control",
        "g-mixup": "method",
        "g-mixup (lam=1)": "control",
        "drop-edge": "method",
    }
    assert {pair.second for pair in made.controls["g-mixup"]} == {
        "resample",
        "soften",
        "g-mixup (lam=1)",
    }
    assert made.rows[1].verdict == "helps"
    roles = [row.role for row in made.rows]
    assert roles == ["baseline", "method", "method", "control", "control", "control"]


def test_of_several_controls_each_has_its_own():
    records = comparison({"none": 0.7, "resample": 0.7}, fits=10)
    for lam in ([0.1, 0.2], [0.0, 0.5]):
        for method in ("soften", "g-mixup"):
            own = AUGMENTATIONS[method] | {"lam": lam}
            records += [done(cell(fit=fit, augmentation=own)) for fit in range(10)]
    records += [done(cell("unmixed", fit)) for fit in range(10)]
    more = AUGMENTATIONS["g-mixup"] | {"ratio": 1.0}
    records += [done(cell(fit=fit, augmentation=more)) for fit in range(10)]
    beside = {
        method: {pair.second for pair in pairs}
        for method, pairs in compare_records(records).controls.items()
    }
    own = {"resample", "g-mixup (lam=1)"}
    every = own | {"soften (lam=0.1–0.2)", "soften (lam=0–0.5)"}
    assert beside == {
        "g-mixup (ratio=0.2, lam=0.1–0.2)": own | {"soften (lam=0.1–0.2)"},
        "g-mixup (ratio=0.2, lam=0–0.5)": own | {"soften (lam=0–0.5)"},
        "g-mixup (ratio=1, lam=0.1–0.2)": every,  # none is as large: better these than none
    }


def test_a_control_tells_what_it_is_about_and_what_tells_it_from_its_like():
    mixup = AUGMENTATIONS["g-mixup"] | {"lam": [0.1, 0.2]}
    bare = {"estimator": {"name": "erdos-renyi"}}
    told = [mixup, mixup | {"lam": 1.0}, mixup | bare, mixup | bare | {"lam": 1.0}]
    names = [default_label([done(cell(augmentation=own)) for own in told])(record)
             for record in [done(cell(augmentation=own)) for own in told]]  # fmt: skip
    assert names == [
        "g-mixup",
        "g-mixup (lam=1)",
        "g-mixup (estimator=erdos-renyi)",
        "g-mixup (lam=1, estimator=erdos-renyi)",
    ]
    several = [mixup | {"lam": 1, "ratio": ratio} for ratio in (0.2, 1.0)]
    records = [done(cell(augmentation=own)) for own in [mixup, *several]]
    label = default_label(records)
    names = [label(record) for record in records]
    assert names == ["g-mixup", "g-mixup (ratio=0.2, lam=1)", "g-mixup (ratio=1, lam=1)"]


def test_another_method_that_adds_graphs_has_controls_too():
    own = {"name": "mine", "ratio": 0.2, "fresh": False}
    records = comparison(LEVELS | {"unmixed": 0.7}, fits=5)
    records += [done(cell(fit=fit, augmentation=own)) for fit in range(5)]
    made = compare_records(records)
    assert [pair.second for pair in made.controls["mine"]] == ["resample"]  # it mixes no labels
    records += [done(cell(fit=fit, augmentation=own | {"lam": [0.1, 0.2]})) for fit in range(5)]
    beside = compare_records(records).controls
    assert [pair.second for pair in beside["mine (lam=0.1–0.2)"]] == ["resample", "soften"]
    assert [pair.second for pair in beside["mine (lam=not told)"]] == ["resample"]


def test_an_erdos_renyi_graphon_is_a_control():
    random = AUGMENTATIONS["g-mixup"] | {"estimator": {"name": "erdos-renyi"}}
    records = comparison({"none": 0.7, "g-mixup": 0.8}, fits=10)
    records += [done(cell(fit=fit, augmentation=random)) for fit in range(10)]
    made = compare_records(records)
    assert [row.role for row in made.rows] == ["baseline", "method", "control"]
    assert made.rows[2].method == "g-mixup (estimator=erdos-renyi)"


def test_without_controls_the_verdict_says_so():
    made = compare_records(comparison({"none": 0.7, "g-mixup": 0.8}))
    assert made.verdict.endswith(
        "without a control beside it, the gain need not be the method's own."
    )


def test_variants_of_a_method_are_told_apart_by_what_differs():
    records = comparison({"none": 0.7}, fits=5)
    for lam in ([0.1, 0.2], [0.0, 0.5]):
        own = AUGMENTATIONS["g-mixup"] | {"lam": lam}
        records += [done(cell(fit=fit, augmentation=own)) for fit in range(5)]
    names = [row.method for row in compare_records(records).rows]
    assert names == ["none", "g-mixup (lam=0.1–0.2)", "g-mixup (lam=0–0.5)"]


def test_repeats_go_on_counting_folds_or_take_the_next_seed():
    for splits in (
        [{"kind": "k-fold", "seed": 0, "fold": fit, "folds": 5} for fit in range(10)],
        [{"kind": "k-fold", "seed": fit // 5, "fold": fit % 5, "folds": 5} for fit in range(10)],
        [{"kind": "k-fold", "seed": fit // 5, "fold": fit % 5} for fit in range(10)],
    ):
        sizes = {"train": 600, "validation": 200, "test": 200, "added": 0}
        records = [done(cell(split=split), graphs=sizes) for split in splits]
        assert pair_up({"none": records}).repeats.tolist() == [0] * 5 + [1] * 5


def test_random_splits_have_no_repeats_and_an_own_split_no_ratio():
    random = [
        done(cell(split={"kind": "ratios", "seed": seed, "fold": None, "train_fraction": 1.0}))
        for seed in range(4)
    ]
    fits = pair_up({"none": random})
    assert fits.repeats is None
    assert fits.train == 800
    own = [done(cell(seed=seed, split={"kind": "own", "seed": 0})) for seed in range(4)]
    fits = pair_up({"none": own})
    assert fits.scores["none"].shape == (4, 1)
    assert (fits.train, fits.test, fits.repeats) == (None, None, None)


def test_a_data_sets_own_split_gives_no_verdict():
    records = [
        done(cell(method, seed=seed, split={"kind": "own", "seed": 0}), level + seed / 1000)
        for method, level in (("none", 0.7), ("g-mixup", 0.8))
        for seed in range(10)
    ]
    assert compare_records(records).verdict == (
        "g-mixup: not tested, on 10 fits that do not vary the split."
    )


def test_few_labels_are_seen_in_the_record():
    split = {"kind": "k-fold", "seed": 0, "folds": 10, "train_fraction": 0.1}
    sizes = {"train": 80, "validation": 100, "test": 100, "added": 0}
    records = [
        done(cell(method, split=split | {"fold": fit}), 0.7 + fit / 1000, graphs=sizes)
        for method in ("none", "g-mixup")
        for fit in range(10)
    ]
    assert compare_records(records).ratio == pytest.approx(100 / 800)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"data": "MUTAG"}, "the records differ in `data`: 'IMDB-BINARY' and 'MUTAG'; compare"),
        ({"fingerprint": "1" * 64}, "the records differ in `fingerprint`: '000"),
        ({"backbone": {"name": "gcn"}}, "the records differ in `backbone`: {'name': 'gin'"),
        ({"recipe": {"epochs": 3}}, "the records differ in `recipe`: {'epochs': 300"),
        (
            {"split": {"kind": "ratios", "seed": 0, "train_fraction": 1.0}},
            "the records differ in `split.kind`: 'k-fold' and 'ratios'",
        ),
    ],
)
def test_only_like_is_compared_with_like(change, words):
    records = [done(cell()), done(cell("g-mixup", **change))]
    with pytest.raises(ValueError) as error:  # noqa: PT011
        compare_records(records)
    assert words in str(error.value)
    assert "or name them by `label`" in str(error.value)


def test_a_label_may_tell_networks_apart():
    records = [
        done(cell(fit=fit, backbone={"name": name}), 0.6 + 0.1 * (name == "gin") + fit / 1000)
        for name in ("gcn", "gin")
        for fit in range(10)
    ]
    made = compare_records(records, "gcn", label=lambda record: record["cell"]["backbone"]["name"])
    assert [row.method for row in made.rows] == ["gcn", "gin"]
    assert made.rows[1].against.mean == pytest.approx(0.1)


def test_what_is_not_there_is_named():
    with pytest.raises(ValueError, match="there are no records to compare; train some first"):
        compare_records([])
    with pytest.raises(ValueError, match=r"`baseline` is 'none'; the records are of \['g-mixup'\]"):
        compare_records([done(cell("g-mixup"))])


def test_a_summary_counts_what_failed():
    records = [*comparison({"none": 0.7}, fits=20), failed(cell(fit=20))]
    own = summarise(records)
    tested = [record["scores"]["test"] for record in records[:20]]
    assert (own.fits, own.failed) == (20, 1)
    assert own.mean == pytest.approx(np.mean(tested))
    assert own.sd == pytest.approx(np.std(tested, ddof=1))
    assert own.interval[0] < own.mean < own.interval[1]
    nothing = summarise([failed(cell())])
    assert (nothing.mean, nothing.sd, nothing.interval, nothing.fits) == (None, None, None, 0)
