"""What is said in Python of runs that failed."""

import warnings

import pytest
from torch import nn

import gmixup
from gmixup.sweep import FailedRunsWarning, failures

DATA = "two-and-eight-communities:graphs=30,nodes=(6,9)"


class TakesNoBatch(nn.Module):
    """A network as many scripts have it: called with tensors rather than a batch."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.head = nn.Linear(inputs, outputs)

    def forward(self, x, edge_index, batch):
        return self.head(x)


def test_a_result_whose_runs_failed_says_why(tmp_path):
    with pytest.warns(
        FailedRunsWarning, match=r"2 of 2 runs failed: .*missing.*`\.failed`"
    ) as said:
        result = gmixup.train(DATA, TakesNoBatch, seeds=2, recipe="quick", out=tmp_path)
    assert [one.filename for one in said if one.category is FailedRunsWarning] == [__file__]
    assert len(result.failed) == 2


def test_so_does_an_answer(tmp_path):
    with pytest.warns(FailedRunsWarning, match="runs failed: TypeError") as said:
        answer = gmixup.compare(
            DATA, TakesNoBatch, "drop-edge", splits=2, recipe="quick", out=tmp_path, progress=False
        )
    assert [one.filename for one in said if one.category is FailedRunsWarning] == [__file__]
    assert answer.failed


def test_nothing_is_said_where_all_went_well(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error", FailedRunsWarning)
        result = gmixup.train(
            DATA, "gin:depth=1,width=4", seeds=1, recipe="quick", epochs=1, out=tmp_path
        )
    assert failures(result.records) is None
