"""Every synthetic data set passes the public checks, and what breaks a rule does not."""

from dataclasses import dataclass, replace
from itertools import count

import pytest
import torch

from gmixup import GraphSet, datasets
from gmixup.testing import DATASET_CHECKS, check_dataset

EXAMPLES = [example for part in datasets.room.parts.values() for example in part.examples()]
CLOCK = count()


@pytest.mark.parametrize("check", DATASET_CHECKS.values(), ids=list(DATASET_CHECKS))
@pytest.mark.parametrize("example", EXAMPLES, ids=repr)
def test_synthetic_sets_pass(example, check):
    check(example)


@dataclass(frozen=True)
class Broken:
    """A good data set, but for the one thing that `wrong` names."""

    name = "broken"
    wrong: str = "nothing"
    seed: int = 0

    def load(self):
        fixed = self.wrong == "seed"
        seed = next(CLOCK) if self.wrong == "time" else 0 if fixed else self.seed
        graphs = datasets.TwoAndEightCommunities(graphs=20, nodes=(6, 9), seed=seed).load()
        if self.wrong == "form":
            return graphs.to_pyg()
        labels = {"none": None, "one": torch.zeros(20).long(), "gap": 2 * graphs.labels()}
        return replace(graphs, y=labels.get(self.wrong, graphs.y))


def test_the_broken_set_is_else_a_good_one():
    check_dataset(Broken())


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("form", "gives list, not a GraphSet"),
        ("time", "loads other graphs each time"),
        ("seed", "is the same for every seed"),
        ("none", "have no labels"),
        ("one", "has one class"),
        ("gap", r"have \[10, 0, 10\] graphs"),
    ],
)
def test_what_breaks_a_rule_is_told(wrong, words):
    with pytest.raises(AssertionError, match=words):
        check_dataset(Broken(wrong))


def test_few_graphs_cannot_be_split():
    @dataclass(frozen=True)
    class Few:
        name = "few"

        def load(self):
            pair = torch.tensor([[0.0, 1.0], [1.0, 0.0]]).numpy()
            return replace(GraphSet.of([pair, pair]), y=torch.tensor([0, 1]))

    with pytest.raises(AssertionError, match="too few graphs to split"):
        DATASET_CHECKS["has_labels_to_learn"](Few())
