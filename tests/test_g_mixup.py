"""G-Mixup: what comes out is like what went in, mixed as asked, and the same for the same seed."""

import subprocess
import sys
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader

from gmixup import Graphon, GraphSet
from gmixup.augmentations import GMixup, g_mixup
from gmixup.mixing import Beta
from gmixup.sizes import SizeLaw
from tests.strategies import featured

pytestmark = pytest.mark.filterwarnings("ignore:.*have no edge")

SMALL = GMixup(estimator="histogram", resolution=5)


def two_classes(dense=0.8, sparse=0.2, count=30):
    """A class of dense graphs of 12 nodes and one of sparse graphs of 20."""
    parts = []
    for label, (chance, nodes) in enumerate([(dense, 12), (sparse, 20)]):
        graphon = Graphon(torch.full((1, 1), chance), sizes=SizeLaw.of(torch.tensor([[nodes, 1]])))
        graphs = graphon.sample_many(count, seed=label)
        parts.append(replace(graphs, y=torch.full((count,), label), columns=None))
    return GraphSet.joined(parts)


def many_classes(classes=4, each=6):
    parts = []
    for label in range(classes):
        graphs = Graphon(torch.full((1, 1), 0.2 + 0.15 * label)).sample_many(each, 8 + label, label)
        parts.append(replace(graphs, y=torch.full((each,), label)))
    return GraphSet.joined(parts)


laws = st.one_of(
    st.floats(0, 1),
    st.tuples(st.floats(0, 0.5), st.floats(0.5, 1)),
    st.builds(Beta, st.floats(0.2, 3), st.floats(0.2, 3)),
)


@settings(max_examples=25)
@given(
    laws,
    st.sampled_from(["class", "resolution", 9]),
    st.sampled_from(["keep", "drop", "join"]),
    st.sampled_from(["distribution", "mean", "max"]),
    st.sampled_from(["cells", "random"]),
    st.sampled_from(["soft", "hard"]),
    st.sampled_from(["class", "batch"]),
    st.integers(0, 1000),
)
def test_synthetic_graphs_are_like_the_training_graphs(
    lam, nodes, isolated, features, edge_features, labels, level, seed
):
    mixup = replace(
        SMALL, lam=lam, nodes=nodes, isolated=isolated, features=features, labels=labels,
        edge_features=edge_features, level=level, batch_size=4,
        density="matched" if nodes == "class" else "graphon",
    )  # fmt: skip
    train, kept = featured(count=10), featured(count=10)
    synthetic = mixup.fit(train, seed).sample(7, seed)
    for graph, before in zip(train, kept, strict=True):
        assert all(torch.equal(graph[key], before[key]) for key in before.keys())  # noqa: SIM118
    assert len(synthetic) == 7
    for data in synthetic:
        assert set(data.keys()) == set(train[0].keys())
        for key in ("x", "edge_index", "edge_attr"):
            assert data[key].dtype == train[0][key].dtype
        assert data.x.shape[1] == train[0].x.shape[1]
        assert data.edge_attr.shape == (data.edge_index.shape[1], train[0].edge_attr.shape[1])
        assert not data.has_self_loops()
        assert data.is_undirected()
        assert (data.edge_attr >= 0).all()
        assert (data.edge_attr < torch.tensor([4, 2])).all()
        if features == "distribution":
            assert (data.x.sum(1) == 1).all()
        if isolated != "keep" and data.num_nodes > 1:
            assert not data.has_isolated_nodes()
        if labels == "soft":
            assert data.y.shape == (1, 2)
            assert data.y.dtype == torch.float32
            assert float(data.y.sum()) == pytest.approx(1)
        else:
            assert data.y.shape == (1,)
            assert data.y.dtype == torch.int64


def test_real_and_synthetic_graphs_go_through_one_loader():
    train = featured(count=10)
    before = [graph.clone() for graph in train]
    for mixup in (SMALL, replace(SMALL, labels="hard"), replace(SMALL, ratio=2.0)):
        augmented = mixup.augment(train, seed=0)
        assert len(augmented) == 10 + round(mixup.ratio * 10)
        batch = next(iter(DataLoader(augmented, batch_size=len(augmented))))
        assert set(train[0].keys()) <= set(batch.keys())
        assert batch.num_graphs == len(augmented)
    for graph, kept in zip(train, before, strict=True):
        assert all(torch.equal(graph[key], kept[key]) for key in kept.keys())  # noqa: SIM118


@pytest.mark.parametrize("lam", [0.0, 1.0])
def test_lambda_at_its_ends_gives_pure_classes(lam):
    fitted = replace(SMALL, lam=lam).fit(two_classes())
    synthetic, origins = fitted.sample(200, seed=1, return_origin=True)
    seen = set()
    for data, origin in zip(synthetic, origins, strict=True):
        pure = origin.classes[0] if lam == 1 else origin.classes[1]
        assert origin.lam == lam
        assert data.y.tolist() == [[float(pure == 0), float(pure == 1)]]
        assert data.num_nodes == (12 if pure == 0 else 20)
        seen.add(pure)
    assert seen == {0, 1}


def test_sizes_and_edges_are_those_of_the_classes():
    train = two_classes()
    fitted = replace(SMALL, lam=0.3).fit(train)
    synthetic, origins = fitted.sample(3000, seed=2, return_origin=True)
    from_first = torch.tensor([data.num_nodes == 12 for data in synthetic])
    share = torch.tensor([0.3 if origin.classes[0] == 0 else 0.7 for origin in origins])
    # Five standard errors of a frequency.
    assert float(from_first.double().mean()) == pytest.approx(float(share.mean()), abs=0.045)
    edges = torch.tensor([data.num_edges / 2 for data in synthetic])
    for size, part in ((12, from_first), (20, ~from_first)):
        real = train.sizes()[train.num_nodes == size][:, 1].double()
        assert float(edges[part].mean()) == pytest.approx(float(real.mean()), rel=0.05)


def test_the_graphon_decides_the_edges_where_density_is_its_own():
    fitted = replace(SMALL, lam=0.5, nodes=40, density="graphon").fit(two_classes())
    graphs = GraphSet.of(fitted.sample(200, seed=0))
    assert graphs.num_nodes.unique().tolist() == [40]
    assert float(graphs.densities().mean()) == pytest.approx(0.5, abs=0.02)


def test_many_classes_are_drawn_in_ordered_pairs():
    fitted = replace(SMALL, lam=0.25).fit(many_classes())
    synthetic, origins = fitted.sample(400, seed=0, return_origin=True)
    assert {origin.classes for origin in origins} == {
        (i, j) for i in range(4) for j in range(4) if i != j
    }
    for data, origin in zip(synthetic, origins, strict=True):
        assert data.y[0, origin.classes[0]] == pytest.approx(0.25)
        assert data.y[0, origin.classes[1]] == pytest.approx(0.75)


@pytest.mark.parametrize("lam", [0.1, 0.9])
def test_balance_evens_out_the_classes(lam):
    graphs = two_classes()
    train = graphs.subset(list(range(30)) + list(range(30, 36)))
    augmented = replace(SMALL, lam=lam, ratio=0.6, balance=True).augment(train, seed=0)
    mass = torch.cat([data.y for data in augmented]).sum(0)
    plain = torch.cat([d.y for d in replace(SMALL, lam=lam, ratio=0.6).augment(train)]).sum(0)
    assert float(mass[0] - mass[1]) < 10 < float(plain[0] - plain[1])


def test_one_class_is_mixed_with_itself():
    train = [graph.clone() for graph in featured(count=4)]
    for graph in train:
        graph.y = torch.tensor([0])
    synthetic, origins = SMALL.fit(train).sample(3, return_origin=True)
    assert {origin.classes for origin in origins} == {(0, 0)}
    assert all(data.y.tolist() == [[1.0]] for data in synthetic)


def test_a_class_may_have_one_graph_but_not_none():
    train = featured(count=5)[:4] + featured(count=2)[1:]
    assert len(SMALL.fit(train[:3]).sample(2)) == 2
    train[0].y = torch.tensor([3])
    with pytest.raises(ValueError, match="no graph has class 2 of 4"):
        SMALL.fit(train)


def test_soft_labels_are_averaged_by_their_heaviest_class():
    train = [Data(num_nodes=3, edge_index=torch.tensor([[0, 1], [1, 0]])) for _ in range(3)]
    for graph, first in zip(train, (0.9, 0.7, 0.1), strict=True):
        graph.y = torch.tensor([[first, 1 - first]])
    graphons = SMALL.fit(train).graphons
    assert torch.allclose(graphons[0].label, torch.tensor([0.8, 0.2]).double())
    assert torch.allclose(graphons[1].label, torch.tensor([0.1, 0.9]).double())


def test_pooled_features():
    train = featured(count=8)
    for graph in train:
        graph.x = torch.rand(graph.x.shape[0], 2, generator=torch.Generator().manual_seed(0))
    mean, largest = (
        replace(SMALL, features=how, resolution=1).fit(train).graphons[0].features
        for how in ("mean", "max")
    )
    mine = torch.cat([graph.x for graph in train if graph.y == 0]).double()
    assert torch.allclose(mean[0], mine.mean(0))
    assert torch.allclose(largest[0], mine.max(0).values)


def test_random_edge_features_are_uniform():
    fitted = replace(SMALL, edge_features="random", nodes=30, density="graphon").fit(featured())
    drawn = torch.cat([data.edge_attr for data in fitted.sample(40)])
    shares = torch.bincount(drawn[:, 0], minlength=4) / len(drawn)
    assert shares.tolist() == pytest.approx([0.25] * 4, abs=0.03)


def test_mixtures_are_shared_as_asked_and_chunks_change_no_size(monkeypatch):
    fitted = replace(SMALL, mixes=3).fit(two_classes())
    _, origins = fitted.sample(50, return_origin=True)
    assert len({origin.lam for origin in origins}) == 3
    whole = [(data.num_nodes, data.y.tolist()) for data in SMALL.fit(two_classes()).sample(20)]
    monkeypatch.setattr(g_mixup, "CHUNK_BYTES", 1)
    chunked = SMALL.fit(two_classes()).sample(20)
    assert [(data.num_nodes, data.y.tolist()) for data in chunked] == whole


def test_presets_say_what_their_sources_say():
    paper, authors = GMixup.paper(), GMixup.authors()
    assert (paper.lam, paper.ratio, paper.estimator) == ((0.1, 0.2), 0.2, "lg")
    assert (authors.lam, authors.ratio, authors.mixes) == ((0.005, 0.01), 0.15, 10)
    train = two_classes()
    assert {data.num_nodes for data in paper.fit(train).sample(5)} == {16}
    drawn = GraphSet.of(authors.fit(train).sample(20))
    assert int(drawn.num_nodes.max()) <= 16
    assert int((drawn.degrees() == 0).sum()) == 0
    assert GMixup.paper(ratio=0.5).ratio == 0.5


PROGRAM = """
import hashlib, torch
from gmixup.augmentations import GMixup
from tests.strategies import featured
digest = hashlib.sha256()
for data in GMixup(estimator="histogram", resolution=5, ratio=2.0).augment(featured(), seed=3):
    for key in sorted(data.keys()):
        digest.update(data[key].numpy().tobytes())
print(digest.hexdigest())
"""


def test_the_same_seed_gives_the_same_bytes_in_two_processes():
    runs = [
        subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert runs[0].stdout == runs[1].stdout
    assert len(runs[0].stdout) > 60


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: GMixup(lam=1.5), "`lam` is 1.5"),
        (lambda: GMixup(ratio=-1), "`ratio` is -1"),
        (lambda: GMixup(nodes=7), "`nodes` is 7 but `density='matched'`"),
        (lambda: GMixup(mixes=0), "`mixes` is 0; it must be at least 1"),
        (lambda: GMixup(level="graph"), "`level` is 'graph'; it is one of class, batch"),
        (lambda: GMixup(nodes="many", density="graphon"), "`nodes` is 'many'"),
        (lambda: GMixup(nodes=0, density="graphon"), "`nodes` is 0; it must be at least 1"),
        (
            lambda: GMixup(resolution="medium"),
            "`resolution` is 'medium'; it is one of mean, median",
        ),
        (lambda: GMixup(resolution=2.5), "`resolution` is 2.5; it is one of mean, median"),
        (lambda: GMixup(estimator="mean").fit(featured()), "no estimator is named 'mean'"),
        (lambda: SMALL.fit(featured()).sample(-1), "`count` is -1"),
        (lambda: SMALL.augment([Data(num_nodes=2)]), "no class labels"),
        (
            lambda: SMALL.augment([Data(num_nodes=2, y=torch.tensor([0]), pos=torch.zeros(2, 3))]),
            "`data` carries `pos`, which no synthetic graph has",
        ),
    ],
)
def test_misuse_is_refused_in_words(make, words):
    with pytest.raises(ValueError, match=words):
        make()
