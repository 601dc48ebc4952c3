"""Networks give what PyG's layers and the definitions give; foreign ones are taken as they are."""

import copy
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch_geometric import nn as pyg
from torch_geometric.utils import to_dense_adj, to_dense_batch

from gmixup import backbones
from gmixup.backbones._layers import Dropout, MaskedBatchNorm, numbered_dropouts
from gmixup.backbones._levels import ClusterLevel, NodeLevel, pooled, trace
from gmixup.backbones.diff_pool import DiffPool, _Block, entropy_losses, link_losses
from gmixup.backbones.gcn import GCN, GCN2
from gmixup.backbones.gin import GIN
from gmixup.backbones.gmt import GMT
from gmixup.backbones.min_cut import MinCut, cut_losses, orthogonality_losses, without_own
from gmixup.backbones.ogb import ATOM_LEVELS, BOND_LEVELS, OGBGCN, OGBGIN
from gmixup.backbones.top_k import TopK, TopKPooling, graph_max, ranks_within
from gmixup.batch import Batch, Masks
from gmixup.graphs import GraphSet
from gmixup.seeds import generator
from tests.reference import backbones as reference
from tests.strategies import random_graph

SIZES = (5, 9, 3, 14, 40)
close = torch.testing.assert_close


def graphs(width=4, sizes=SIZES, density=0.4):
    rng = np.random.default_rng(0)
    made = GraphSet.of([random_graph(rng, nodes, density) for nodes in sizes])
    x = torch.from_numpy(rng.normal(size=(made.node_count, width)))
    return replace(made, x=x)


def batch_of(**settings):
    made = graphs(**settings)
    return Batch.of(made, range(len(made)))


def thinned(batch):
    keep = torch.arange(len(batch.x)) % 5 != 2
    return batch.masked(Masks(node_keep=keep))


def built(backbone, inputs=4, outputs=3, edge_inputs=None):
    torch.manual_seed(0)
    return backbone.build(inputs, outputs, edge_inputs).double()


def copied(module, **tensors):
    """A module of PyG with these parameters."""
    module.load_state_dict({**module.state_dict(), **tensors})
    return module.double()


def test_gcn_is_pygs():
    batch, network = batch_of(width=40), built(GCN(width=8), inputs=40)
    x = batch.x
    for ours in network.convolutions:
        weights = {"lin.weight": ours.linear.weight, "bias": ours.linear.bias}
        theirs = copied(pyg.GCNConv(x.shape[1], 8), **weights)
        x = theirs(x, batch.edge_index).relu()
    wanted = network.head(pyg.global_mean_pool(x, batch.batch))
    close(network(batch), wanted)


def test_gcn_spreads_over_kept_edges_alone():
    batch = thinned(batch_of())
    layer = built(GCN(depth=1, width=4))
    spread = reference.gcn_spread
    for graph in range(len(SIZES)):
        weights, places = reference.dense(batch, graph)
        linear = layer.convolutions[0].linear
        x = spread(weights, batch.x[places]) @ linear.weight.T + linear.bias
        kept = batch.node_mask[places]
        close(layer.encode(batch)[graph], x.relu()[kept].mean(0))


def test_gcn2_is_pygs():
    batch, network = batch_of(), built(GCN2(width=8))
    x = first = network.first(batch.x).relu()
    for layer, ours in enumerate(network.convolutions, 1):
        weights = {"weight1": ours.spread_weight, "weight2": ours.first_weight}
        theirs = copied(pyg.GCN2Conv(8, 0.5, 1.0, layer, shared_weights=False), **weights)
        x = (theirs(x, first, batch.edge_index) + x).relu()
    close(network(batch), network.head(pyg.global_mean_pool(x, batch.batch)))


@pytest.mark.parametrize("training", [True, False])
def test_gin_is_pygs(training):
    batch, network = batch_of(width=11), built(GIN(width=8), inputs=11)
    network(batch)  # gives the norms something to remember
    x, other = batch.x, copy.deepcopy(network.train(training))
    for ours, norm in zip(other.convolutions, other.norms, strict=True):
        theirs = pyg.GINConv(nn.Identity()).double()
        theirs.nn = nn.Sequential(ours.first, nn.ReLU(), ours.second)
        x = norm.norm(theirs(x, batch.edge_index).relu())
    hidden = pyg.global_mean_pool(x, batch.batch)
    close(network(batch), other.head[3](other.head[0](hidden).relu()))


def test_top_k_is_pygs():
    batch, network = batch_of(), built(TopK(width=8)).eval()
    x, edges, owner, wanted = batch.x, batch.edge_index, batch.batch, 0
    for ours, pool in zip(network.convolutions, network.pools, strict=True):
        names = ("lin_rel.weight", "lin_rel.bias", "lin_root.weight")
        weights = (ours.neighbours.weight, ours.neighbours.bias, ours.own.weight)
        theirs = copied(pyg.GraphConv(x.shape[1], 8), **dict(zip(names, weights, strict=True)))
        cut = copied(pyg.TopKPooling(8, 0.8), **{"select.weight": pool.direction[None]})
        x = theirs(x, edges).relu()
        x, edges, _, owner, _, _ = cut(x, edges, None, owner)
        readout = [pyg.global_max_pool(x, owner), pyg.global_mean_pool(x, owner)]
        wanted = wanted + torch.cat(readout, 1)
    close(network.encode(batch), wanted)


def test_top_k_keeps_the_highest_scores_of_each_graph():
    batch, pool = thinned(batch_of()), TopKPooling(4, 0.6).double()
    _, left = pool(batch.x, batch)
    score = (batch.x @ pool.direction).detach()
    for graph in range(len(SIZES)):
        places = ((batch.batch == graph) & batch.node_mask).nonzero().flatten()
        wanted = reference.top_places(score[places], -(-len(places) * 6 // 10))
        kept = ((batch.batch == graph) & left.node_mask).nonzero().flatten()
        assert kept.tolist() == places[wanted].tolist()


def test_ranks_put_dropped_nodes_last():
    batch = replace(batch_of(sizes=(3, 2)), node_mask=torch.tensor([True, False, True, True, True]))
    ranks = ranks_within(torch.tensor([0.1, 0.9, 0.5, 0.2, 0.3]), batch)
    assert ranks.tolist() == [1, 2, 0, 1, 0]


def test_the_largest_of_no_nodes_is_zero():
    batch = replace(batch_of(sizes=(1, 2)), node_mask=torch.tensor([False, True, True]))
    x = torch.tensor([[5.0], [-2.0], [-3.0]])
    assert graph_max(x, batch).tolist() == [[0.0], [-2.0]]


def soft(batch, clusters=6):
    logits = torch.randn(len(batch.x), clusters, dtype=torch.float64, generator=generator(1))
    return logits.requires_grad_()


def test_diff_pool_is_pygs_graph_by_graph():
    batch = batch_of()
    logits, level = soft(batch), NodeLevel(batch, torch.float64)
    pool = pooled(level, batch.x, logits)
    links, entropies = link_losses(level, pool), entropy_losses(level, pool)
    adjacency = to_dense_adj(batch.edge_index, batch.batch).double()
    for graph, nodes in enumerate(SIZES):
        rows, dense = batch.batch == graph, adjacency[graph, :nodes, :nodes]
        x, weights, link, entropy = pyg.dense_diff_pool(batch.x[rows], dense, logits[rows])
        close(pool.x[graph], x[0])
        close(pool.weights[graph], weights[0])
        close(links[graph], link)
        close(links[graph].item(), reference.link_loss(dense, logits[rows].softmax(1)))
        close(entropies[graph], entropy)
        wanted = torch.autograd.grad(link + entropy, logits, retain_graph=True)
        total = links[graph] + entropies[graph]
        close(torch.autograd.grad(total, logits, retain_graph=True), wanted)


def test_diff_pool_between_clusters_is_pygs():
    weights = torch.rand(3, 7, 7, dtype=torch.float64)
    weights = weights + weights.transpose(1, 2)
    x, logits = torch.randn(3, 7, 4).double(), torch.randn(3, 7, 5).double()
    level = ClusterLevel(weights, None)
    pool = pooled(level, x, logits)
    links, entropies = link_losses(level, pool), entropy_losses(level, pool)
    for graph in range(3):
        wanted = pyg.dense_diff_pool(x[graph], weights[graph], logits[graph])
        found = pool.x[graph : graph + 1], pool.weights[graph : graph + 1]
        close((*found, links[graph], entropies[graph]), wanted)


@pytest.mark.parametrize("level_of", ["nodes", "clusters"])
def test_a_block_is_pygs_sage_convolution(level_of):
    batch, block = batch_of(), _Block(4, 6, 1).double()
    ours = block.convolutions[0]
    dense = pyg.DenseSAGEConv(4, 6)
    names = ("lin_rel.weight", "lin_root.weight", "lin_root.bias")
    values = (ours.neighbours.weight, ours.own.weight, ours.neighbours.bias)
    theirs = copied(dense, **dict(zip(names, values, strict=True)))
    x, mask = to_dense_batch(batch.x, batch.batch)
    adjacency = to_dense_adj(batch.edge_index, batch.batch).double()
    if level_of == "nodes":
        wanted = block.norms[0].norm(theirs(x, adjacency, mask).relu()[mask])
        close(block(batch.x, NodeLevel(batch, torch.float64)), wanted)
    else:
        wanted = block.norms[0].norm(theirs(x, adjacency).relu().flatten(0, 1))
        close(block(x, ClusterLevel(adjacency, None)).flatten(0, 1), wanted)


def test_min_cut_is_pygs():
    batch = batch_of()
    logits, level = soft(batch), NodeLevel(batch, torch.float64)
    pool = pooled(level, batch.x, logits)
    x, mask = to_dense_batch(batch.x, batch.batch)
    s, _ = to_dense_batch(logits, batch.batch)
    adjacency = to_dense_adj(batch.edge_index, batch.batch).double()
    wanted = pyg.dense_mincut_pool(x, adjacency, s, mask)
    losses = cut_losses(level, pool).mean(), orthogonality_losses(pool).mean()
    close((pool.x, without_own(pool.weights), *losses), wanted)
    gradients = (torch.autograd.grad(sum(pair), logits) for pair in (losses, wanted[2:]))
    close(*gradients)


def test_min_cut_between_clusters_is_pygs():
    weights = torch.rand(3, 7, 7, dtype=torch.float64)
    weights = weights + weights.transpose(1, 2)
    x, logits = torch.randn(3, 7, 4).double(), torch.randn(3, 7, 5).double()
    level = ClusterLevel(weights, None)
    pool = pooled(level, x, logits)
    losses = cut_losses(level, pool).mean(), orthogonality_losses(pool).mean()
    wanted = pyg.dense_mincut_pool(x, weights, logits)
    close((pool.x, without_own(pool.weights), *losses), wanted)


def test_a_graph_without_an_edge_has_nothing_to_cut():
    batch = batch_of(density=0.0)
    logits, level = soft(batch), NodeLevel(batch, torch.float64)
    pool = pooled(level, batch.x, logits)
    cuts = cut_losses(level, pool)
    assert cuts.tolist() == [0.0] * len(SIZES)
    total = cuts.sum() + without_own(pool.weights).sum()
    assert bool(torch.autograd.grad(total, logits)[0].isfinite().all())


def test_dropped_nodes_are_in_no_cluster():
    batch = thinned(batch_of())
    level = NodeLevel(batch, torch.float64)
    pool = pooled(level, batch.x, soft(batch))
    close(trace(pool.overlap) > 0, torch.ones(len(SIZES), dtype=torch.bool))
    assert not pool.assignment[~batch.node_mask].any()
    for graph in range(len(SIZES)):
        weights, places = reference.dense(batch, graph)
        s = pool.assignment[places]
        close(pool.weights[graph], s.T @ weights @ s)
        close(level.squared_weights[graph], weights.square().sum())


class Largest(TorchDispatchMode):
    """Remembers how many numbers the largest dense tensor held that any operation gave."""

    numbers = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        out = function(*args, **(kwargs or {}))
        for value in out if isinstance(out, tuple | list) else [out]:
            if isinstance(value, torch.Tensor) and value.layout == torch.strided:
                self.numbers = max(self.numbers, value.numel())
        return out


@pytest.mark.parametrize("backbone", [DiffPool(), MinCut(), GMT()], ids=lambda part: part.name)
def test_a_graph_of_3782_nodes_goes_through_without_its_square(backbone):
    nodes = 3782
    rng = np.random.default_rng(0)
    parents = np.array([rng.integers(0, node) for node in range(1, nodes)])
    ends = np.arange(1, nodes)
    tree = sp.coo_array((np.ones(nodes - 1), (ends, parents)), shape=(nodes, nodes))
    pair = GraphSet.of([(tree + tree.T).tocsr(), random_graph(rng, 12, 0.5)])
    x = torch.from_numpy(rng.normal(size=(pair.node_count, 1)))
    batch = Batch.of(replace(pair, x=x), [0, 1])
    network = built(backbone, inputs=1)
    with Largest() as largest:
        hidden, losses = network.encode_with_losses(batch)
        (network.head(hidden).sum() + sum(losses.values())).backward()
    assert hidden.isfinite().all()
    assert largest.numbers < nodes * nodes / 10


@pytest.mark.parametrize("layer_norm", [True, False])
def test_gmt_is_pygs(layer_norm):
    batch = batch_of()
    network = built(GMT(width=8, seeds=4, layer_norm=layer_norm))
    x, layers = batch.x, []
    for ours in network.convolutions:
        weights = {"lin.weight": ours.linear.weight, "bias": ours.linear.bias}
        x = copied(pyg.GCNConv(x.shape[1], 8), **weights)(x, batch.edge_index).relu()
        layers.append(x)
    close(network.encode(batch), network.pool(torch.cat(layers, 1), batch.batch))


def molecules():
    rng = np.random.default_rng(3)
    made = GraphSet.of([random_graph(rng, nodes, 0.5) for nodes in (4, 7)])
    row, column = made.edge_index
    x = torch.from_numpy(np.stack([rng.integers(0, k, made.node_count) for k in ATOM_LEVELS], 1))
    attr = torch.stack([(row + column) % 5, row * column % 6, (row + column) % 2], 1)
    return replace(made, x=x, edge_attr=attr)


@pytest.mark.parametrize("kind", [OGBGIN, OGBGCN])
def test_ogb_layers_are_the_definitions(kind):
    made = molecules()
    batch = Batch.of(made, [0, 1])
    network = built(kind(depth=2, width=6), ATOM_LEVELS, edge_inputs=BOND_LEVELS).eval()
    layer = network.convolutions[0]
    x = torch.randn(len(batch.x), 6, dtype=torch.float64)
    tables = layer.bonds.table.split(BOND_LEVELS)
    edges = [tuple(edge) for edge in batch.edge_index.T.tolist()]
    attr = batch.edge_attr.tolist()
    if kind is OGBGIN:
        perceptron = layer.perceptron
        perceptron_of = lambda rows: perceptron(rows, None)  # noqa: E731
        wanted = reference.ogb_gin_layer(x, edges, attr, tables, layer.epsilon, perceptron_of)
    else:
        wanted = reference.ogb_gcn_layer(layer.linear(x), edges, attr, tables, layer.root)
    close(layer(x, batch), wanted)


def test_the_last_ogb_layer_ends_without_relu():
    batch = Batch.of(molecules(), [0, 1])
    network = built(OGBGIN(depth=1, width=32), ATOM_LEVELS, edge_inputs=BOND_LEVELS).eval()
    wanted = network.convolutions[0](network.encoder(batch.x), batch)
    close(network.encode(batch), batch.graph_mean(network.norms[0](wanted, None)))
    assert bool((network.encode(batch) < 0).any())


def test_atoms_are_the_sum_of_an_embedding_a_column():
    made = molecules()
    network = built(OGBGIN(width=6), ATOM_LEVELS)
    tables = network.encoder.table.split(ATOM_LEVELS)
    wanted = sum(table[level] for table, level in zip(tables, made.x.T, strict=True))
    close(network.encoder(made.x), wanted)


def test_the_virtual_node_begins_at_zero_and_carries_far():
    made = graphs(sizes=(6, 6), density=0.0)
    batch = Batch.of(made, [0, 1])
    other = replace(batch, x=batch.x + (torch.arange(12) == 0)[:, None])
    plain, virtual = (
        built(OGBGIN(depth=2, width=6, virtual_node=has)).eval() for has in (False, True)
    )
    assert not virtual.virtual.start.any()
    # Without an edge, the last node hears of the first through the virtual node alone.
    for network, hears in ((plain, False), (virtual, True)):
        embeddings = []
        network.norms[-1].register_forward_hook(lambda *call, to=embeddings: to.append(call[2]))
        for one in (batch, other):
            network(one)
        assert torch.equal(embeddings[0][5], embeddings[1][5]) is not hears
        assert torch.equal(embeddings[0][6:], embeddings[1][6:])


def test_ogb_says_that_bonds_are_missing():
    network = built(OGBGIN(depth=1, width=4), edge_inputs=BOND_LEVELS)
    with pytest.raises(ValueError, match=r"the batch has no `edge_attr`, for which the network wa"):
        network(batch_of())


def test_masked_normalisation_is_that_of_the_rows_kept():
    x = torch.randn(20, 3, dtype=torch.float64)
    keep = torch.arange(20) % 3 != 1
    ours, theirs = MaskedBatchNorm(3).double(), nn.BatchNorm1d(3).double()
    for _ in range(2):
        out, wanted = ours(x, keep), theirs(x[keep])
    close(out[keep], wanted)
    memory = dict(ours.norm.named_buffers())
    close(memory, {name: buffer for name, buffer in theirs.named_buffers() if name in memory})
    formula, mean, variance = reference.batch_norm(x, keep, 1.0, 0.0)
    close(out, formula)
    close(ours.norm.running_mean, mean * 0.19)
    close(ours.norm.running_var, variance * 0.19 + 0.81)
    close(ours(x, None), theirs(x))
    assert bool(ours.eval()(x, keep).eq(ours(x, None)).all())


def test_one_row_is_normalised_to_the_bias():
    norm = MaskedBatchNorm(3)
    assert norm(torch.randn(1, 3), None).tolist() == [[0.0, 0.0, 0.0]]
    assert norm.norm.running_var.isfinite().all()


def test_dropout_keeps_the_mean_and_draws_by_its_key():
    drop, x = Dropout(0.25), torch.ones(200, 200)
    assert numbered_dropouts(nn.Sequential(drop)) == [drop]
    drop.begin(7)
    before = torch.get_rng_state()
    first, second = drop(x), drop(x)
    assert torch.equal(torch.get_rng_state(), before)
    assert abs(float((first == 0).double().mean()) - 0.25) < 0.01
    close(first.unique(), torch.tensor([0, 1 / 0.75]))
    assert not torch.equal(first, second)
    drop.begin(7)
    assert torch.equal(drop(x), first)
    padded = drop.begin(7) or drop(torch.ones(300, 200))
    assert torch.equal(padded[:200], first)  # what is padded draws no other numbers
    drop.begin(8)
    assert not torch.equal(drop(x), first)
    assert drop.eval()(x) is x


def test_dropout_without_a_key_draws_from_torch():
    drop, x = Dropout(0.25), torch.ones(200, 200)
    torch.manual_seed(3)
    first = drop(x)
    torch.manual_seed(3)
    assert torch.equal(first, drop(x))


def test_defaults_are_the_papers():
    settings = {part.name: part() for part in backbones.room.parts.values()}
    shapes = {name: (one.depth, one.width) for name, one in settings.items()}
    assert shapes["gcn"] == shapes["gcn2"] == (4, 64)
    assert shapes["gin"] == (5, 64)
    assert shapes["top-k"] == (3, 64)
    assert shapes["ogb-gcn"] == shapes["ogb-gin"] == (5, 300)
    assert settings["ogb-gin"].dropout == 0.5
    for one in settings.values():
        logits = built(one)(batch_of())
        assert logits.shape == (len(SIZES), 3)


def test_wide_inputs_are_told_from_integer_columns():
    made = molecules()
    inputs, edge_inputs = backbones.inputs_of(made)
    highest = (made.x.max(0).values + 1).tolist()
    assert inputs == tuple(highest)
    assert edge_inputs == tuple((made.edge_attr.max(0).values + 1).tolist())
    pinned = made.pinned()
    assert backbones.inputs_of(pinned.subset([0])) == (inputs, edge_inputs)
    assert backbones.inputs_of(graphs()) == (4, None)
    assert backbones.inputs_of(replace(made, x=made.x - 9))[0] == 9
    with pytest.raises(ValueError, match=r"`graphs` has no node features `x`; give it some first"):
        backbones.inputs_of(replace(made, x=None))


def test_an_unseen_level_counts_as_the_last():
    batch = Batch.of(molecules(), [0, 1])
    levels = tuple((batch.x.max(0).values + 1).tolist())
    for part in (GIN(width=4), OGBGIN(depth=2, width=4)):
        network = built(part, levels).eval()
        beyond = replace(batch, x=batch.x.where(batch.x < batch.x.max(0).values, 500))
        close(network(beyond), network(batch))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: GIN(depth=0), "`depth` is 0; it must be at least 1"),
        (lambda: GCN(width=0), "`width` is 0; it must be at least 1"),
        (lambda: GCN(dropout=1.0), r"`dropout` is 1.0; it must lie in \[0, 1\)"),
        (lambda: TopK(ratio=1.0), r"`ratio` is 1.0; it must lie in \(0, 1\): the share of nodes"),
        (lambda: DiffPool(clusters=()), r"`clusters` is \(\); give how many there are after each"),
        (lambda: MinCut(clusters=(5, 1)), r"`clusters` is \(5, 1\); give how many there are after"),
        (lambda: GMT(seeds=0), "`seeds` is 0; it must be at least 1"),
        (lambda: GMT(heads=5), r"`heads` is 5; it must divide depth · width, 192"),
    ],
)
def test_settings_say_what_is_wrong(make, words):
    with pytest.raises(ValueError, match=words):
        make()


OWN = """
import torch
from torch_geometric.nn import GCNConv, global_mean_pool

class MyNet(torch.nn.Module):
    def __init__(self, inputs, outputs, width=8):
        super().__init__()
        self.convolution = GCNConv(inputs, width)
        self.head = torch.nn.Linear(width, outputs)

    def forward(self, data):
        x = self.convolution(data.x, data.edge_index).relu()
        return self.head(global_mean_pool(x, data.batch))
"""


@pytest.fixture
def own(tmp_path):
    file = tmp_path / "own_network.py"
    file.write_text(OWN)
    return f"{file}:MyNet"


def test_a_persons_own_network_takes_a_pyg_batch_without_what_was_dropped(own):
    room, made = backbones.room, graphs()
    backbone = room.make(own, width=5)
    assert backbone.name == "my-net"
    network = built(backbone)
    assert network.module.head.in_features == 5
    masked = thinned(Batch.of(made, range(5)))
    data = masked.to_pyg()
    close(network(masked), network.module(data))
    assert len(data.x) == int(masked.node_mask.sum())
    padded = Batch.of(made, [0, -1, 3], nodes=60, edges=400)
    logits = network(padded)
    close(logits[[0, 2]], network(Batch.of(made, [0, 3])))
    assert not logits[[1, 3]].any()
    logits.sum().backward()
    assert all(parameter.grad is not None for parameter in network.parameters())


def test_manifold_mixup_needs_encode_and_head(own):
    network = built(backbones.room.make(own))
    assert not network.has_hidden
    batch = batch_of()
    close(network.head(network.encode(batch)), network(batch))
    module = network.module
    module.encode = lambda data: pyg.global_mean_pool(
        module.convolution(data.x, data.edge_index).relu(), data.batch
    )
    with_both = built(backbones.room.make(lambda inputs, outputs: module))
    assert with_both.has_hidden
    assert with_both.encode(batch).shape == (len(SIZES), 8)
    close(with_both(batch), network(batch))


def test_the_room_makes_backbones_of_names_classes_and_functions():
    make = backbones.room.make
    assert make("gin", width=8) == make(GIN, width=8) == GIN(width=8)
    assert make(GIN(depth=2)) == GIN(depth=2)
    backbone = make(lambda inputs, outputs: nn.Linear(inputs, outputs))
    assert isinstance(built(backbone).module, nn.Linear)
    assert built(backbone, inputs=(3, 2)).module.in_features == 2


def test_the_room_says_what_is_no_backbone():
    with pytest.raises(
        ValueError, match=r"`backbone` is Linear; every run needs a new network: gi"
    ):
        backbones.room.make(nn.Linear(2, 2))
    with pytest.raises(ValueError, match=r"`backbone` is int; every run needs a new network"):
        backbones.room.make(3)
    backbone = backbones.room.make(lambda inputs, outputs: inputs)
    with pytest.raises(
        ValueError, match=r"the backbone 'own' gave int; its function must give a torch.nn.Module"
    ):
        backbone.build(4, 2)
    with pytest.raises(ValueError, match=r"no backbone is named 'ginn'.*did you mean 'gin'\?"):
        backbones.room.make("ginn")


class Waits(TorchDispatchMode):
    """Remembers the operations for whose result an accelerator would have to stop."""

    def __init__(self):
        super().__init__()
        self.names = set()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function.overloadpacket.__name__
        places = args[1] if name in ("index", "index_put", "index_put_") else ()
        by_mask = any(place is not None and place.dtype == torch.bool for place in places)
        if by_mask or name in ("_local_scalar_dense", "nonzero", "masked_select", "equal"):
            self.names.add(name)
        return function(*args, **(kwargs or {}))


@pytest.mark.parametrize("name", backbones.room.names())
def test_nothing_waits_for_a_value_and_shapes_stay(name):
    made = graphs()
    network = built(backbones.room.make(name))
    batches = [Batch.of(made, ids, nodes=60, edges=700) for ids in ([4, 0, -1], [1, 2, 3])]
    with Waits() as waits:
        for batch in batches:
            hidden, losses = network.encode_with_losses(batch)
            (network.head(hidden).sum() + sum(losses.values())).backward()
    assert not waits.names
    with Waits() as waits:
        assert float(hidden.detach()[batch.graph_mask].sum()) != 0
    assert waits.names == {"_local_scalar_dense", "index"}
