"""On an accelerator: captured steps are those of a CPU, and runs do not depend on their company."""

import pytest
import torch

from gmixup import augmentations
from gmixup.training.fast import Engine
from gmixup.training.stores import Stores
from tests.test_agreement import SMALL, STACKED, runs_of

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")


def epochs(runs, device, count=2):
    engine = Engine(runs, Stores(runs[0].graphs), device)
    return [engine.epoch(epoch) for epoch in range(count)]


def close(found, wanted, tolerance):
    apart = (found.double().cpu() - wanted.double().cpu()).norm()
    assert apart <= tolerance * max(float(wanted.double().norm()), 1e-3)


@pytest.mark.parametrize("backbone", SMALL)
def test_the_first_steps_are_those_of_a_cpu(backbone):
    runs = runs_of(backbone, "none", data="own", precision="float32")
    ours, wanted = (epochs(runs, device, 1)[0] for device in ("cuda", "cpu"))
    first = slice(0, 9)
    close(ours.trained[0][0, first], wanted.trained[0][0, first], 1e-4)
    close(ours.trained[0][0, 9:27], wanted.trained[0][0, 9:27], 2e-2)


@pytest.mark.parametrize("method", augmentations.room.names())
@pytest.mark.parametrize("backbone", STACKED)
def test_runs_side_by_side_are_as_each_alone(backbone, method):
    runs = runs_of(backbone, method, count=3, precision="float32")
    together = epochs(runs, "cuda")
    for place, run in enumerate(runs):
        alone = epochs([run], "cuda")
        close(together[0].trained[0][place, :18], alone[0].trained[0][0, :18], 1e-3)


@pytest.mark.parametrize("method", augmentations.room.names())
@pytest.mark.parametrize("backbone", SMALL)
def test_everything_trains_and_says_finite_numbers(backbone, method):
    seen = epochs(runs_of(backbone, method, precision="float32"), "cuda")
    assert bool(seen[-1].trained[0].isfinite().all())
    assert bool(seen[-1].rest[0].isfinite().all())


@pytest.mark.parametrize("backbone", SMALL)
def test_half_precision_is_near(backbone):
    half, whole = (
        epochs(runs_of(backbone, "none", precision=precision), "cuda", 1)[0]
        for precision in ("bfloat16", "float32")
    )
    close(half.trained[0][0, :9], whole.trained[0][0, :9], 5e-2)


def test_replayed_epochs_are_the_same_again():
    runs = runs_of("gin", "drop-edge", count=2, precision="float32", epochs=3)
    first, second = (epochs(runs, "cuda", 3) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        assert torch.equal(one.trained[0], other.trained[0])
