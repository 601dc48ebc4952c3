"""Records of runs that nobody made: numbers at random around a level, all else as in real ones."""

import numpy as np

from gmixup.record_format import key_of

PARTS = ("train", "validation", "test")
AUGMENTATIONS = {
    "none": {"name": "none"},
    "resample": {"name": "resample", "ratio": 0.2},
    "soften": {"name": "soften", "ratio": 0.2, "lam": [0.1, 0.2]},
    "drop-edge": {"name": "drop-edge", "share": 0.2},
    "g-mixup": {"name": "g-mixup", "ratio": 0.2, "lam": [0.1, 0.2], "estimator": {"name": "sba"}},
    "unmixed": {"name": "g-mixup", "ratio": 0.2, "lam": 1, "estimator": {"name": "sba"}},
}


def cell(method="none", fit=0, seed=0, folds=10, **changes):
    """The settings of a run; `fit` counts folds, ten to a repeat."""
    return {
        "data": "IMDB-BINARY",
        "fingerprint": "0" * 64,
        "backbone": {"name": "gin", "depth": 5, "width": 64},
        "augmentation": AUGMENTATIONS[method],
        "recipe": {"epochs": 300, "learning_rate": 0.01, "metric": "accuracy"},
        "split": {
            "kind": "k-fold",
            "seed": fit // folds,
            "fold": fit % folds,
            "folds": folds,
            "train_fraction": 1.0,
        },
        "corruption": {"labels": 0.0, "edges_added": 0.0, "edges_removed": 0.0, "where": "train"},
        "features": "auto",
        "seed": seed,
    } | changes


def done(settings, test=0.7, epochs=5, **changes):
    """The record of a run that came to its end."""
    stream = np.random.default_rng(int(key_of(settings), 16))

    def curve(level):
        rise = level * (1 - 0.5 * np.exp(-np.arange(epochs) / 3))
        return (rise + stream.normal(0, 0.01, epochs)).clip(0, 1).round(4).tolist()

    return {
        "format": 1,
        "key": key_of(settings),
        "cell": settings,
        "status": "done",
        "metric": "accuracy",
        "scores": {"train": 0.9, "validation": 0.75, "test": test, "epoch": min(3, epochs)},
        "curve": {
            "epoch": list(range(1, epochs + 1)),
            "loss": {part: curve(0.6) for part in PARTS},
            "score": {part: curve(test) for part in PARTS},
        },
        "graphs": {"train": 800, "validation": 100, "test": 100, "added": 0},
        "seconds": {"prepare": 1.5, "fit": 30.0},
        "versions": {"gmixup": "0.1.0", "torch": "2.13.0"},
        "device": "cpu",
        "date": "2026-01-02T03:04:05+00:00",
    } | changes


def failed(settings, error="RuntimeError: out of memory", **changes):
    """The record of a run that did not."""
    return {
        "format": 1,
        "key": key_of(settings),
        "cell": settings,
        "status": "failed",
        "error": error,
        "date": "2026-01-02T03:04:05+00:00",
    } | changes


def comparison(levels, fits=30, spread=0.02, seed=0, **changes):
    """Records of several methods on the same fits: a level of each, and noise of both kinds."""
    stream = np.random.default_rng(seed)
    shared = stream.normal(0, 0.03, fits)
    return [
        done(
            cell(method, fit, **changes),
            float(np.clip(level + shared[fit] + stream.normal(0, spread), 0, 1)),
        )
        for method, level in levels.items()
        for fit in range(fits)
    ]
