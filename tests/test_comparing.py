"""Comparisons: the same splits for all, controls beside every mixup, whole rounds in a budget."""

import re

import pytest
from torch import nn
from torch_geometric.nn import global_add_pool

import gmixup
from gmixup import GMixup, comparing
from gmixup.augmentations import DropEdge, Resample, Soften
from gmixup.controls import controls_of, with_controls
from gmixup.evidence.pairing import compare_records
from gmixup.live import Live, lines_of
from gmixup.mixing import Beta
from tests import runs
from tests.small_runs import GRAPHS

QUICK = {"recipe": "quick", "epochs": 1, "device": "cpu", "progress": False}
SMALL = "gin:depth=1,width=4"


def test_controls_match_their_mixup():
    mixup = GMixup(ratio=0.7, lam=Beta(2, 3), fresh=True)
    resample, soften, unmixed, density = controls_of(mixup)
    assert resample == Resample(ratio=0.7, fresh=True)
    assert soften == Soften(ratio=0.7, fresh=True, lam=Beta(2, 3))
    assert (unmixed.lam, unmixed.ratio, unmixed.fresh) == (1.0, 0.7, True)
    assert (density.estimator, density.ratio, density.lam) == ("erdos-renyi", 0.7, Beta(2, 3))


@pytest.mark.parametrize("method", [DropEdge(), Resample(), GMixup(lam=1.0)])
def test_controls_and_what_adds_no_graphs_have_none(method):
    assert controls_of(method) == []


def test_every_method_and_control_is_there_once():
    names = [method.name for method in with_controls([GMixup(), Resample(), DropEdge(), GMixup()])]
    assert names == ["none", "g-mixup", "resample", "drop-edge", "soften", "g-mixup", "g-mixup"]


@pytest.fixture(scope="module")
def answer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    return comparing.compare(GRAPHS, SMALL, ["g-mixup", "drop-edge"], 5, out=folder, **QUICK)


def test_all_methods_share_splits_and_seeds(answer):
    places = {}
    for record in answer.records:
        cell = record["cell"]
        told = (cell["split"]["kind"], cell["split"]["seed"], cell["split"]["fold"], cell["seed"])
        places.setdefault(str(cell["augmentation"]), []).append(told)
    assert len(places) == 7
    assert all(some == [("k-fold", 0, i, i) for i in range(5)] for some in places.values())


def test_the_answer_says_what_was_seen(answer):
    assert {row.role for row in answer.comparison.rows} == {"baseline", "method", "control"}
    assert answer.verdict.startswith(("g-mixup:", "g-mixup h"))
    assert "drop-edge" in answer.verdict
    assert "g-mixup beside resample" in answer.table.markdown()
    assert answer.sight.startswith("5 fits")
    assert not answer.failed
    assert answer.verdict in repr(answer)


def test_of_equal_scores_the_answer_says_so(answer):
    own = [dict(record, scores=dict(record["scores"], test=0.5)) for record in answer.records]
    told = comparing.answer_of(own, len(GRAPHS)).sight
    assert told == "5 fits with equal scores: no telling what could have been seen."


@pytest.mark.parametrize("suffix", ["html", "md", "tex"])
def test_the_answer_is_saved_as_a_page(answer, tmp_path, suffix):
    answer.save(tmp_path / f"report.{suffix}")
    text = (tmp_path / f"report.{suffix}").read_text(encoding="utf-8")
    assert "drop-edge" in text
    assert "resample" in text


def test_a_wish_is_planned(answer):
    planned = comparing.answer_of(answer.records, len(GRAPHS), wish=0.01)
    spread = max(row.against.sd for row in answer.comparison.rows if row.against)
    assert bool(planned.plan) == (spread > 0)
    if planned.plan:
        assert "not reachable by more splits" in planned.plan
        assert planned.plan in planned.page.markdown()


def test_more_splits_go_on_from_those_that_are_there(tmp_path):
    one = comparing.compare(GRAPHS, SMALL, "none", 2, out=tmp_path, **QUICK)
    dates = {file: file.stat().st_mtime_ns for file in tmp_path.glob("*.json")}
    two = comparing.compare(GRAPHS, SMALL, "none", 3, inits=2, out=tmp_path, **QUICK)
    assert {record["key"] for record in one.records} <= {record["key"] for record in two.records}
    assert (len(one.records), len(two.records)) == (2, 6)
    assert all(file.stat().st_mtime_ns == date for file, date in dates.items())
    inits = {(r["cell"]["split"]["fold"], r["cell"]["seed"]) for r in two.records}
    assert inits == {(fold, fold + more) for fold in range(3) for more in (0, 100_000)}


class Net(nn.Module):
    """A network of somebody's own."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.layer = nn.Linear(inputs, outputs)

    def forward(self, data):
        return self.layer(global_add_pool(data.x, data.batch))


def test_a_network_of_ones_own_is_compared(tmp_path):
    answer = gmixup.compare(
        GRAPHS.to_pyg(),
        backbone=lambda inputs, outputs: Net(inputs, outputs),
        augment=["none", DropEdge(0.3)],
        splits=2,
        out=tmp_path,
        **QUICK,
    )
    assert answer.comparison.rows[1].method == "drop-edge"
    assert answer.records[0]["cell"]["backbone"]["name"] == "own"


def rounds(monkeypatch, seconds, budget, known=(), total=100, first=1):
    """How many fits each round has if a fit takes so many seconds."""
    clock = [0.0]
    monkeypatch.setattr(comparing.time, "monotonic", lambda: clock[0])
    told = []
    made = comparing._rounds(
        range(total), budget, first, lambda fits: sum(2 for fit in fits if fit not in known)
    )
    for part in made:
        told.append(len(part))
        clock[0] += seconds * sum(fit not in known for fit in part)
    return told, clock[0]


def test_a_budget_is_filled_with_whole_rounds(monkeypatch):
    assert rounds(monkeypatch, 1, 25) == ([1, 10, 10, 4], 25)
    assert rounds(monkeypatch, 1, 25, first=4)[0] == [4, 10, 10, 1]
    assert rounds(monkeypatch, 30, 25) == ([1], 30)
    assert rounds(monkeypatch, 1, None)[0] == [100]


def test_what_is_known_costs_no_budget(monkeypatch):
    told, passed = rounds(monkeypatch, 1, 5, known=range(50), first=2)
    assert passed == 5 + 0
    assert sum(told) >= 54


def test_it_ends_where_there_are_no_more_splits(monkeypatch):
    assert sum(rounds(monkeypatch, 0.01, 1e6)[0]) == 100


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"splits": 0}, "`splits` is 0; it must be at least 1"),
        ({"inits": 0}, "`inits` is 0; it must be at least 1"),
        ({"budget": 0.0}, "`budget` is 0.0; it must be above 0"),
        ({"wish": -1.0}, "`wish` is -1.0; it must be above 0"),
    ],
)
def test_wrong_numbers_are_told(settings, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        gmixup.compare(GRAPHS, **settings)


class Terminal:
    """Keeps what is written."""

    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text

    def flush(self):
        pass

    def isatty(self):
        return True


def test_the_live_table_is_written_over_itself():
    live = Live(12, stream=Terminal())
    for record in runs.comparison({"none": 0.7, "g-mixup": 0.72}, fits=3):
        live.add(record)
    live.draw()
    last = live.stream.text.split("\x1b[J")[-1]
    assert [line.split()[0] for line in last.splitlines()] == ["none", "g-mixup", "6"]
    assert "6 of 12 runs" in last
    live.clear()
    assert live.stream.text.endswith("\x1b[3A\x1b[J")


def test_nobody_looks_at_a_file():
    live = Live(12, shown=False, stream=Terminal())
    live.add(runs.done(runs.cell()))
    assert live.stream.text == ""


def test_lines_are_of_score_gain_and_fits():
    records = runs.comparison({"none": 0.7, "g-mixup": 0.72}, fits=6)
    first, second = lines_of(compare_records(records))
    assert first.endswith("6 fits")
    assert re.search(r"[+−]\d\.\d\d", second)
