"""Augmentations against their laws from the definition, and as citizens of PyG."""

import copy
import math
import re
from collections import Counter

import networkx as nx
import numpy as np
import pytest
import torch
import torch_geometric.transforms as T
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader

from gmixup import augmentations
from gmixup.augmentations import (
    DropEdge,
    DropNode,
    EdgePerturbation,
    ManifoldMixup,
    MaskFeatures,
    NoAugmentation,
    Resample,
    Soften,
    Subgraph,
)
from gmixup.augmentations.edge_perturbation import draw_cells, thinned
from gmixup.estimators import ErdosRenyi
from gmixup.graphon import Graphon
from gmixup.graphs import GraphSet
from gmixup.mixing import Beta
from gmixup.placement import ALIGNMENTS, membership
from gmixup.seeds import generator
from tests.reference import alignment as alignment_reference
from tests.reference import augmentations as reference
from tests.strategies import adjacencies, as_data, featured, random_graph

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*graphs have no edge"),
    pytest.mark.filterwarnings("ignore:Unable to accurately infer 'num_nodes'"),
]
TRANSFORMS = [DropEdge, DropNode, Subgraph, MaskFeatures]
ENLARGEMENTS = [
    Resample(ratio=0.5),
    Soften(ratio=0.5),
    EdgePerturbation(ratio=0.5),
    EdgePerturbation(ratio=0.5, form="product"),
]
COPIES = 20_000
# A triangle with a tail, and a component of two nodes.
EDGES = [(0, 1), (0, 2), (1, 2), (2, 3), (4, 5)]


def graph_of(edges, nodes):
    index = torch.tensor([*edges, *((j, i) for i, j in edges)]).T
    return Data(edge_index=index, num_nodes=nodes)


def copies(data, count=COPIES):
    """One batch of many copies of a graph."""
    shift = torch.arange(count) * data.num_nodes
    index = data.edge_index[:, None, :] + shift[:, None]
    batch = Batch(
        edge_index=index.reshape(2, -1), batch=torch.arange(count).repeat_interleave(data.num_nodes)
    )
    batch._num_graphs = count
    return batch


def batch_of(matrices):
    return Batch.from_data_list([as_data(matrix) for matrix in matrices])


def agrees(outcomes, law):
    """Whether counted outcomes follow {outcome: chance}, by a chi-square test."""
    counts = Counter(outcomes)
    assert set(counts) <= set(law)
    total = sum(counts.values())
    seen, expected = zip(*((counts[key], total * law[key]) for key in law), strict=True)
    return stats.chisquare(seen, expected).pvalue > 1e-3


# -- laws ------------------------------------------------------------------------------------


def test_drop_edge_does_not_depend_on_the_width_of_integers():
    data = as_data(random_graph(np.random.default_rng(0), 30, 0.5))
    narrow = data.clone()
    narrow.edge_index = narrow.edge_index.int()
    kept = []
    for graph in (data, narrow):
        torch.manual_seed(3)
        kept.append(DropEdge(0.5)(graph).edge_index.tolist())
    assert kept[0] == kept[1]


def test_drop_edge_has_its_law():
    data = graph_of(EDGES, 6)
    keep = DropEdge(0.3).on_batch(copies(data), generator(0)).edge_keep
    one_way = keep.reshape(COPIES, 2, len(EDGES))[:, 0].tolist()
    outcomes = [frozenset(e for e, k in zip(EDGES, row, strict=True) if k) for row in one_way]
    assert agrees(outcomes, reference.drop_edge_law(EDGES, 0.3))


@pytest.mark.parametrize("part", [DropNode, MaskFeatures])
@pytest.mark.parametrize("ratio", [0.2, 0.5])
def test_nodes_are_drawn_as_sets_of_one_size_all_alike_likely(part, ratio):
    masks = part(ratio).on_batch(copies(graph_of(EDGES, 6)), generator(1))
    keep = masks.node_keep if part is DropNode else masks.feature_keep
    outcomes = [frozenset(np.flatnonzero(row).tolist()) for row in keep.reshape(COPIES, 6)]
    assert agrees(outcomes, reference.drop_node_law(6, ratio))


@pytest.mark.parametrize("ratio", [0.2, 0.4, 0.6])
def test_subgraph_has_the_law_of_growth_one_node_after_the_other(ratio):
    data = graph_of(EDGES, 6)
    neighbours = [{j for i, j in data.edge_index.T.tolist() if i == node} for node in range(6)]
    keep = Subgraph(ratio).on_batch(copies(data), generator(2)).node_keep
    outcomes = [frozenset(np.flatnonzero(row).tolist()) for row in keep.reshape(COPIES, 6)]
    assert agrees(outcomes, reference.subgraph_law(neighbours, ratio))


def test_the_hub_of_a_star_is_kept_as_growth_has_it():
    # From a leaf the hub is next; so a star without its hub is left over only if one node is.
    star = as_data(nx.to_numpy_array(nx.star_graph(9)))
    keep = Subgraph(0.8).on_batch(copies(star, 2000), generator(3)).node_keep.reshape(2000, 10)
    assert bool(keep[:, 0].all())


# -- masks of a batch ------------------------------------------------------------------------


@given(adjacencies(), st.sampled_from([0.0, 0.2, 0.29, 0.5, 0.99]), st.integers(0, 99))
def test_masks_keep_pairs_together_and_the_right_number_of_nodes(matrices, ratio, seed):
    batch = batch_of(matrices)
    before = copy.deepcopy(batch)
    for part in TRANSFORMS:
        masks = part(ratio).on_batch(batch, generator(seed))
        if masks.edge_keep is not None:
            assert masks.edge_keep.shape == (batch.num_edges,)
            kept = set(map(tuple, batch.edge_index[:, masks.edge_keep].T.tolist()))
            assert {(j, i) for i, j in kept} == kept
        for keep in (masks.node_keep, masks.feature_keep):
            if keep is not None:
                stays = [int(keep[batch.batch == g].sum()) for g in range(len(matrices))]
                assert stays == [len(m) - math.floor(ratio * len(m) + 1e-9) for m in matrices]
        if masks.node_keep is not None:
            ends = masks.node_keep[batch.edge_index]
            assert torch.equal(masks.edge_keep, ends[0] & ends[1])
    assert torch.equal(batch.edge_index, before.edge_index)
    assert torch.equal(batch.batch, before.batch)


def test_a_share_that_is_a_whole_number_of_nodes_does_not_suffer_from_rounding():
    batch = batch_of([np.zeros((100, 100))])
    assert 0.29 * 100 < 29
    assert int(DropNode(0.29).on_batch(batch, generator(0)).node_keep.sum()) == 71


@given(adjacencies(), st.sampled_from([0.2, 0.5, 0.8]), st.integers(0, 99))
def test_a_subgraph_is_in_one_piece_unless_a_component_is_used_up(matrices, ratio, seed):
    batch = batch_of(matrices)
    keep = Subgraph(ratio).on_batch(batch, generator(seed)).node_keep
    for number, matrix in enumerate(matrices):
        whole = nx.from_numpy_array(matrix)
        kept = set(np.flatnonzero(keep[batch.batch == number]).tolist())
        parts = [set(c) & kept for c in nx.connected_components(whole)]
        assert all(nx.is_connected(whole.subgraph(part)) for part in parts if part)
        unfinished = [c for c in nx.connected_components(whole) if kept & c and c - kept]
        assert len(unfinished) <= 1


@given(adjacencies(), st.integers(0, 99))
def test_drop_edge_does_not_depend_on_the_order_in_which_edges_are_listed(matrices, seed):
    batch = batch_of(matrices)
    keep = DropEdge(0.5).on_batch(batch, generator(seed)).edge_keep
    order = torch.randperm(batch.num_edges, generator=generator(seed))
    batch.edge_index = batch.edge_index[:, order]
    assert torch.equal(DropEdge(0.5).on_batch(batch, generator(seed)).edge_keep, keep[order])


@pytest.mark.parametrize("part", TRANSFORMS)
def test_masks_are_decided_by_the_generator_alone(part):
    batch = copies(graph_of(EDGES, 6), 50)
    first, again, other = (part(0.4).on_batch(batch, generator(seed)) for seed in (0, 0, 1))
    for name in ("node_keep", "edge_keep", "feature_keep"):
        if getattr(first, name) is not None:
            assert torch.equal(getattr(first, name), getattr(again, name))
            assert not torch.equal(getattr(first, name), getattr(other, name))


def test_the_neutral_moments_change_nothing():
    part, batch = NoAugmentation(), batch_of([np.ones((2, 2)) - np.eye(2)])
    graphs, hidden, y = GraphSet.of(featured()), torch.rand(3, 2), torch.rand(3, 2)
    assert part.on_training_set(graphs, generator(0)) is graphs
    assert part.on_batch(batch, generator(0)) is None
    assert all(a is b for a, b in zip(part.on_hidden(hidden, y), (hidden, y), strict=True))
    assert part.fresh is False
    assert DropEdge(0.5).on_training_set(graphs, generator(0)) is graphs


# -- transforms ------------------------------------------------------------------------------


def decorated(seed=0):
    """A graph with tensors of every level."""
    data = featured(seed, 1)[0]
    data.pos = torch.rand(data.num_nodes, 2)
    data.edge_weight = torch.rand(data.num_edges)
    data.title = "untouched"
    data.y = torch.rand(data.num_nodes)  # as long as there are nodes, and yet of the graph
    return data


@pytest.mark.parametrize("part", TRANSFORMS)
@pytest.mark.parametrize("seed", range(4))
def test_a_transform_returns_what_its_masks_say(part, seed):
    data = decorated(seed)
    torch.manual_seed(seed)
    out = part(0.4)(data)
    torch.manual_seed(seed)
    masks = part(0.4).on_batch(Batch.from_data_list([data]))
    everything = torch.ones(data.num_nodes, dtype=torch.bool)
    nodes = everything if masks.node_keep is None else masks.node_keep
    edges = masks.edge_keep
    if edges is None:
        edges = torch.ones(data.num_edges, dtype=torch.bool)
    assert torch.equal(out.edge_index, reference.cut(data.edge_index, nodes, edges))
    for key in ("edge_attr", "edge_weight"):
        assert torch.equal(out[key], data[key][edges])
    assert torch.equal(out.pos, data.pos[nodes])
    features = everything if masks.feature_keep is None else masks.feature_keep
    assert torch.equal(out.x, (data.x * features[:, None])[nodes])
    assert torch.equal(out.y, data.y)
    assert out.title == "untouched"


@pytest.mark.parametrize("part", TRANSFORMS)
def test_a_transform_keeps_keys_and_dtypes_and_leaves_its_input_alone(part):
    data = decorated()
    before = copy.deepcopy(data)
    out = part(0.5)(data)
    assert out is not data
    assert list(out.keys()) == list(data.keys())
    for key in {*before.keys()} - {"title"}:
        assert out[key].dtype == data[key].dtype
        assert torch.equal(data[key], before[key])
    assert out.validate()


@pytest.mark.parametrize("part", [DropEdge, DropNode, Subgraph])
@pytest.mark.parametrize("explicit", [True, False])
def test_isolated_nodes_still_count_without_features(part, explicit):
    data = as_data(np.ones((5, 5)) - np.eye(5))
    if not explicit:
        del data.num_nodes
    outs = [part(0.9)(data) for _ in range(20)]
    assert {out.num_nodes for out in outs} == {5 if part is DropEdge else 1}


@pytest.mark.parametrize("part", TRANSFORMS)
def test_transforms_work_in_compose_and_loaders(part):
    graphs = [T.Compose([part(0.3), T.Constant()])(data) for data in featured(0, 7)]
    loaded = list(DataLoader(graphs, batch_size=3))
    assert sum(batch.num_graphs for batch in loaded) == 7
    assert set(loaded[0].keys()) == {"x", "edge_index", "edge_attr", "y", "batch", "ptr"}


@pytest.mark.parametrize("part", TRANSFORMS)
def test_a_batch_is_transformed_graph_by_graph(part):
    graphs = featured(0, 5)
    torch.manual_seed(0)
    whole = part(0.4)(Batch.from_data_list(graphs)).to_data_list()
    torch.manual_seed(0)
    for out, data in zip(whole, graphs, strict=True):
        expected = part(0.4)(data)
        assert torch.equal(out.edge_index, expected.edge_index)
        assert torch.equal(out.x, expected.x)


@pytest.mark.parametrize("part", TRANSFORMS)
def test_a_graph_without_nodes_or_edges_passes(part):
    for nodes in (0, 1, 4):
        data = Data(x=torch.ones(nodes, 2), edge_index=torch.empty(2, 0, dtype=torch.long))
        out = part(0.5)(data)
        assert out.edge_index.shape == (2, 0)
        assert len(out.x) == (nodes - nodes // 2 if part in (DropNode, Subgraph) else nodes)


def test_directed_edges_self_loops_and_duplicates_are_dropped_on_their_own():
    index = torch.tensor([[0, 0, 1, 1, 2], [1, 1, 2, 1, 0]])
    kept = Counter()
    for seed in range(400):
        keep = DropEdge(0.5).on_batch(
            Batch.from_data_list([Data(edge_index=index, num_nodes=3)]), generator(seed)
        )
        first, twin, *others = keep.edge_keep.tolist()
        assert first == twin
        kept[(first, *others)] += 1
    assert len(kept) == 16


# -- refusals --------------------------------------------------------------------------------


@pytest.mark.parametrize("part", TRANSFORMS)
@pytest.mark.parametrize("ratio", [-0.1, 1.0, float("nan")])
def test_a_share_outside_its_range_is_refused(part, ratio):
    with pytest.raises(
        ValueError, match=rf"`ratio` is {ratio}; it must lie in \[0, 1\): the share"
    ):
        part(ratio)


@pytest.mark.parametrize("part", [Resample, Soften, EdgePerturbation])
@pytest.mark.parametrize("ratio", [-0.1, float("inf"), float("nan")])
def test_a_number_of_added_graphs_below_zero_is_refused(part, ratio):
    with pytest.raises(ValueError, match=f"`ratio` is {ratio}; it must be 0 or more: graphs added"):
        part(ratio=ratio)


def test_a_graph_without_edge_index_is_refused():
    with pytest.raises(ValueError, match="without `edge_index`; drop-edge takes one graph as PyG"):
        DropEdge(0.2)(Data(x=torch.ones(3, 1)))


def test_features_to_mask_must_be_there():
    with pytest.raises(ValueError, match="without `x`; give the nodes features to mask"):
        MaskFeatures(0.2)(graph_of(EDGES, 6))


def test_unknown_forms_and_estimators_are_refused():
    with pytest.raises(ValueError, match="`form` is 'sum'; it must be 'graphon' or 'product'"):
        EdgePerturbation(form="sum")
    with pytest.raises(ValueError, match=r"no estimator is named 'histogramm'.*did you mean"):
        EdgePerturbation(estimator="histogramm")


@pytest.mark.parametrize("part", [Soften, ManifoldMixup])
def test_a_lambda_that_is_no_law_is_refused(part):
    with pytest.raises(ValueError, match=re.escape("`lam` is (0.2, 0.1); it must be a number")):
        part(lam=(0.2, 0.1))


# -- more graphs -----------------------------------------------------------------------------


@pytest.mark.parametrize("part", ENLARGEMENTS, ids=repr)
def test_the_real_graphs_come_first_and_new_ones_hold_the_same(part):
    graphs = GraphSet.of(featured(0, 8))
    before = copy.deepcopy(graphs)
    out = part.on_training_set(graphs, generator(0))
    assert len(out) == 12
    real = out.subset(range(8))
    assert torch.equal(real.y, graphs.soft_labels())
    for name in ("num_nodes", "num_edges", "edge_index", "x", "edge_attr"):
        assert torch.equal(getattr(real, name), getattr(graphs, name))
        assert torch.equal(getattr(graphs, name), getattr(before, name))
        assert getattr(out, name).dtype == getattr(graphs, name).dtype
    assert torch.equal(graphs.y, before.y)
    assert out.y.sum(1).tolist() == pytest.approx([1.0] * 12)
    one_hot = out.x.sum(1)
    assert torch.equal(one_hot, torch.ones_like(one_hot))
    keys = {tuple(data.keys()) for data in out.to_pyg()}
    assert len(keys) == 1


@pytest.mark.parametrize("part", ENLARGEMENTS, ids=repr)
def test_new_graphs_are_decided_by_the_seed(part):
    first, again, other = (part.augment(featured(0, 20), seed=seed) for seed in (0, 0, 1))
    assert len(first) == 30
    assert first[0].y.shape == (1, 2)

    def same(a, b):
        return all(
            x.num_nodes == y.num_nodes and torch.equal(x.edge_index, y.edge_index)
            for x, y in zip(a, b, strict=True)
        )

    assert same(first, again)
    assert not same(first, other)


@pytest.mark.parametrize("part", [Resample, Soften, EdgePerturbation])
def test_a_ratio_of_zero_only_softens_the_labels(part):
    graphs = GraphSet.of(featured(0, 4))
    out = part(ratio=0.0).on_training_set(graphs, generator(0))
    assert torch.equal(out.y, graphs.soft_labels())
    assert torch.equal(out.edge_index, graphs.edge_index)


def marked(labels):
    """Graphs of which the number of nodes tells which they are."""
    return GraphSet.of([as_data(np.zeros((2 + i, 2 + i)), y=y) for i, y in enumerate(labels)])


def test_resample_draws_a_class_and_then_a_graph_of_it():
    graphs = marked([0, 0, 0, 1, 2, 2])
    drawn = Resample(ratio=2000.0).on_training_set(graphs, generator(0)).subset(range(6, 12_006))
    law = {2: 1 / 9, 3: 1 / 9, 4: 1 / 9, 5: 1 / 3, 6: 1 / 6, 7: 1 / 6}
    assert agrees(drawn.num_nodes.tolist(), law)
    assert torch.equal(drawn.y, graphs.soft_labels()[drawn.num_nodes - 2])


def test_soften_mixes_the_labels_of_two_classes_and_keeps_the_heavier_graph():
    graphs = marked([0, 0, 1, 2])
    part = Soften(ratio=1000.0, lam=(0.1, 0.2))
    drawn = part.on_training_set(graphs, generator(0)).subset(range(4, 4004))
    heavy, light = drawn.y.topk(2).values.T
    own = graphs.labels()[drawn.num_nodes - 2]
    assert torch.equal(drawn.y.argmax(1), own)
    assert stats.kstest(light.double().numpy(), stats.uniform(0.1, 0.1).cdf).pvalue > 1e-3
    assert torch.allclose(heavy + light, torch.ones(4000))
    pairs = own * 3 + drawn.y.topk(2).indices[:, 1]
    assert agrees(pairs.tolist(), {a * 3 + b: 1 / 6 for a in range(3) for b in range(3) if a != b})


@pytest.mark.parametrize("lam", [0.0, 1.0])
def test_at_the_ends_of_lambda_soften_is_resample(lam):
    graphs = marked([0, 0, 1, 2])
    drawn = Soften(ratio=500.0, lam=lam).on_training_set(graphs, generator(0))
    assert torch.equal(drawn.y, graphs.soft_labels()[drawn.num_nodes - 2])
    assert agrees(drawn.subset(range(4, 2004)).y.argmax(1).tolist(), dict.fromkeys(range(3), 1 / 3))


@given(st.integers(2, 4), st.sampled_from([0.0, (0.0, 1.0), Beta(0.5, 0.5)]), st.integers(0, 99))
def test_label_mass_is_conserved_for_classes_and_soft_labels(classes, lam, seed):
    rng = np.random.default_rng(seed)
    soft = torch.from_numpy(rng.dirichlet(np.ones(classes), 3 * classes)).float()
    soft[:classes] = torch.eye(classes)
    graphs = GraphSet.of([as_data(random_graph(rng, 4, 0.5), y=row[None]) for row in soft])
    out = Soften(ratio=1.0, lam=lam).on_training_set(graphs, generator(seed))
    assert torch.allclose(out.y.sum(1), torch.ones(len(out)))
    assert torch.equal(out.y[: len(soft)], soft)


def test_one_class_is_resampled_with_its_own_label():
    out = Soften(ratio=2.0, lam=0.3).on_training_set(marked([0, 0]), generator(0))
    assert out.y.tolist() == [[1.0]] * 6


def test_a_class_without_graph_is_named():
    graphs = GraphSet.of(featured(0, 4))
    lacking = graphs.subset(graphs.labels() == 0)
    for part in (Resample(), Soften(), EdgePerturbation()):
        with pytest.raises(ValueError, match="no graph has class 1 of 2"):
            type(part)(ratio=5.0).on_training_set(lacking, generator(0))


# -- edges by the graphon --------------------------------------------------------------------


def test_edge_perturbation_draws_pure_classes_whose_graphs_have_the_edges_of_real_ones():
    # Cycles have as many edges as nodes: no density is right for small and large ones alike.
    matrices = [nx.to_numpy_array(nx.cycle_graph(n)) for n in (8, 11, 24, 33)]
    graphs = GraphSet.of([as_data(matrix, y=i % 2) for i, matrix in enumerate(matrices * 5)])
    out = EdgePerturbation(ratio=60.0).on_training_set(graphs, generator(0))
    new = out.subset(range(20, 1220))
    sizes, edges = new.sizes().T
    labels = torch.isin(sizes, torch.tensor([11, 33])).long()
    assert torch.equal(new.y, torch.eye(2)[labels])
    assert set(sizes.tolist()) == {8, 11, 24, 33}
    for size in (8, 11, 24, 33):
        assert float(edges[sizes == size].double().mean()) == pytest.approx(size, rel=0.1)


@given(adjacencies(least_nodes=1), st.sampled_from(ALIGNMENTS), st.integers(0, 99))
def test_a_cell_is_one_of_those_that_its_node_is_spread_over(matrices, how, seed):
    graphs = GraphSet.of(matrices)
    member = membership(graphs, 4, how)
    cells = draw_cells(member, torch.arange(graphs.node_count), generator(seed))
    mass = member.spread.toarray()[member.group]
    for node, cell in enumerate(cells.tolist()):
        assert mass[node].sum() < 1 - 1e-9 if cell < 0 else mass[node, cell] > 0


@pytest.mark.parametrize("how", ["quantile", "truncate"])
def test_the_product_form_keeps_edges_as_the_graphon_says(how):
    matrix = nx.to_numpy_array(nx.Graph(EDGES))
    graphs, steps = GraphSet.of([matrix]), 4
    values = np.random.default_rng(0).random((steps, steps))
    graphon = Graphon(torch.from_numpy((values + values.T) / 2))
    picked = torch.zeros(COPIES, dtype=torch.long)
    out = thinned(graphs, picked, membership(graphs, steps, how), graphon, generator(0))
    share = alignment_reference.weights([matrix], steps, how)[0]
    law = reference.product_chances(share, EDGES, graphon.edges.numpy())
    seen = Counter(map(tuple, out.edge_index.T.tolist()))
    assert sum(seen.values()) == int(out.num_edges.sum())
    for (i, j), chance in law.items():
        assert seen[i, j] == seen[j, i]
        assert stats.binomtest(seen[i, j], COPIES, min(chance, 1)).pvalue > 1e-4


def test_the_product_form_only_takes_edges_away():
    graphs = GraphSet.of(featured(0, 10))
    out = EdgePerturbation(ratio=3.0, form="product").on_training_set(graphs, generator(0))
    real = {(len(d.x), tuple(d.x.argmax(1).tolist())): d for d in graphs}
    for data in out.subset(range(10, 40)).to_pyg():
        origin = real[len(data.x), tuple(data.x.argmax(1).tolist())]
        attributes = {
            tuple(edge): row
            for edge, row in zip(
                origin.edge_index.T.tolist(), origin.edge_attr.tolist(), strict=True
            )
        }
        for edge, row in zip(data.edge_index.T.tolist(), data.edge_attr.tolist(), strict=True):
            assert attributes[tuple(edge)] == row
        assert data.is_undirected()


def test_erdos_renyi_is_flat_and_as_dense_as_the_class():
    graphs = GraphSet.of(featured(0, 6))
    graphon = ErdosRenyi(resolution=5).estimate(graphs)
    edges, pairs = graphs.num_edges.sum(), (graphs.num_nodes * (graphs.num_nodes - 1)).sum()
    assert graphon.edges.shape == (5, 5)
    assert torch.allclose(graphon.edges, torch.full((5, 5), float(edges / pairs)).double())
    assert graphon.features.shape == (5, 3)


# -- hidden layers ---------------------------------------------------------------------------


@pytest.mark.parametrize("lam", [0.0, 0.3, 1.0])
def test_manifold_mixup_mixes_rows_with_those_of_a_permutation(lam):
    hidden, y = torch.rand(6, 4), torch.eye(6)
    mixed, labels = ManifoldMixup(lam=lam).on_hidden(hidden, y, generator(0))
    # With a label of its own for each graph, the labels tell who was mixed with whom.
    other = ((labels - lam * y) / (1 - lam)).argmax(1) if lam < 1 else torch.arange(6)
    assert sorted(other.tolist()) == list(range(6))
    for i, j in enumerate(other.tolist()):
        assert torch.allclose(mixed[i], lam * hidden[i] + (1 - lam) * hidden[j], atol=1e-6)
        assert torch.allclose(labels[i], lam * y[i] + (1 - lam) * y[j], atol=1e-6)


def test_manifold_mixup_draws_one_lambda_a_batch():
    hidden, stream = torch.zeros(3, 1), generator(0)
    lams = []
    for _ in range(1000):
        labels = ManifoldMixup(lam=(0.6, 0.9)).on_hidden(hidden, torch.eye(3), stream)[1]
        own = labels.diagonal()
        lams += own[own < 1].unique().tolist()[:1]
        assert torch.allclose(labels.sum(1), torch.ones(3))
        assert torch.allclose(own[own < 1], own.min())
    assert stats.kstest(lams, stats.uniform(0.6, 0.3).cdf).pvalue > 1e-3


def test_permutations_are_all_alike_likely():
    stream, rows = generator(0), torch.arange(3.0)[:, None]
    orders = [
        tuple(ManifoldMixup(lam=0.0).on_hidden(rows, torch.eye(3), stream)[0].flatten().tolist())
        for _ in range(3000)
    ]
    assert len(set(orders)) == 6
    assert stats.chisquare(list(Counter(orders).values())).pvalue > 1e-3


@given(st.lists(st.booleans(), min_size=1, max_size=9), st.integers(0, 99))
def test_padding_is_mixed_with_padding_alone(real, seed):
    count = len(real)
    y = torch.eye(count) * torch.tensor(real)[:, None]
    hidden = torch.eye(count)
    mixed, labels = ManifoldMixup(lam=0.0).on_hidden(hidden, y, generator(seed))
    other = mixed.argmax(1).tolist()
    assert sorted(other) == list(range(count))
    assert [real[place] for place in other] == real
    assert torch.equal(labels.sum(1), torch.tensor(real).float())


def test_permutations_beside_padding_are_all_alike_likely():
    stream, y = generator(0), torch.eye(4) * torch.tensor([1, 0, 1, 1])[:, None]
    orders = [
        tuple(ManifoldMixup(lam=0.0).on_hidden(torch.eye(4), y, stream)[0].argmax(1).tolist())
        for _ in range(3000)
    ]
    assert len(set(orders)) == 6
    assert stats.chisquare(list(Counter(orders).values())).pvalue > 1e-3


def test_manifold_mixup_keeps_dtype_gradient_and_input():
    hidden = torch.rand(4, 2, dtype=torch.float64, requires_grad=True)
    y = torch.eye(4)
    mixed, labels = ManifoldMixup().on_hidden(hidden, y, generator(0))
    assert mixed.dtype == torch.float64
    assert labels.dtype == torch.float32
    mixed.sum().backward()
    assert torch.allclose(hidden.grad, torch.ones(4, 2).double())
    assert torch.equal(y, torch.eye(4))


@pytest.mark.parametrize("y", [torch.tensor([0, 1, 1]), torch.rand(2, 2)])
def test_manifold_mixup_needs_label_weights(y):
    with pytest.raises(
        ValueError, match=r"`y` is .*needs a row of label weights for each of the 3"
    ):
        ManifoldMixup().on_hidden(torch.rand(3, 2), y)


def test_names():
    assert {
        "drop-edge", "drop-node", "edge-perturbation", "manifold-mixup", "mask-features", "none",
        "resample", "soften", "subgraph",
    } <= set(augmentations.room.names())  # fmt: skip
