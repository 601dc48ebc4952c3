"""The faithful forms: equal to the plain dense reference, and to the published table."""

from functools import cache

import numpy as np
import pytest
import torch

from gmixup import GraphSet, estimators
from gmixup.estimators._classic import in_single_cells, per_graph
from gmixup.evidence.published import published
from gmixup.experiments.estimators import (
    GRAPHONS,
    METHODS,
    NODES,
    Estimators,
    directed_graphs,
    grid_values,
    resized_error,
)
from gmixup.seeds import numpy_generator
from tests.reference import estimators as reference

# Printed cells that do not come out, and what does.
SLIPS = {("product", "mc"): 61.1, ("product", "usvt"): 14.2, ("logistic-2", "sba"): 49.8}


def directed_matrices(nodes, count=5, seed=0):
    """Directed graphs with self-loops, in which no two nodes tie."""
    rng, matrices = np.random.default_rng(seed), []
    while len(matrices) < count:
        u = rng.random(nodes)
        matrix = (rng.random((nodes, nodes)) < 0.1 + 0.8 * np.outer(u, u)).astype(float)
        degree = matrix.sum(0) + matrix.sum(1)
        joined = matrix @ degree + matrix.T @ degree
        if len(set(zip(degree, joined, strict=True))) == nodes:
            matrices.append(matrix)
    return matrices


def dense(method, stack):
    nodes = stack.shape[1]
    if method == "sba":
        return reference.sba(stack, numpy_generator(0, "sba", nodes).permutation(nodes))
    if method == "sas":
        return reference.enlarged(reference.sas(stack), nodes)
    return getattr(reference, method)(stack)


@pytest.mark.parametrize("nodes", [40, 61])
def test_graphs_are_sorted_as_plainly(nodes):
    matrices = directed_matrices(nodes)
    ours = per_graph(in_single_cells(GraphSet.of(matrices, directed="as-is"), nodes))
    assert np.array_equal(ours, reference.sorted_stack(matrices).mean(0))


@pytest.mark.parametrize("nodes", [40, 61])
@pytest.mark.parametrize("method", METHODS)
def test_faithful_forms_are_the_plain_ones(method, nodes):
    matrices = directed_matrices(nodes)
    wanted = dense(method, reference.sorted_stack(matrices))
    graphs = GraphSet.of(matrices, directed="as-is")
    estimator = estimators.room.make(method, faithful=True)
    given, _ = estimator.fit(graphs, nodes)
    falling = torch.argsort(-(wanted.mean(0) + wanted.mean(1)).round(decimals=10), stable=True)
    assert torch.allclose(given, wanted[falling][:, falling], atol=1e-9)
    edges = estimator.estimate(matrices, directed="as-is").edges
    assert torch.allclose(edges, (given + given.T) / 2)


def test_smaller_graphs_are_padded_and_larger_ones_cut():
    matrices = [*directed_matrices(12, 2), *directed_matrices(7, 2)]
    graphs = GraphSet.of(matrices, directed="as-is")
    stack = reference.sorted_stack(matrices).mean(0).numpy()
    assert estimators.LG(faithful=True).default_resolution(graphs) == 12
    assert np.allclose(per_graph(in_single_cells(graphs, 12)), stack)
    assert np.allclose(per_graph(in_single_cells(graphs, 5)), stack[:5, :5])
    assert np.allclose(per_graph(in_single_cells(graphs, 15)), np.pad(stack, (0, 3)))


def test_nodes_that_tie_share_their_places():
    cycle = np.roll(np.eye(6), 1, axis=0)
    graphs = GraphSet.of([cycle + cycle.T])
    assert np.allclose(per_graph(in_single_cells(graphs, 6)), 12 / 36)


@cache
def errors(graphon):
    """(3,) by method, on the published protocol."""
    found = {method: [] for method in METHODS}
    for seed in range(3):
        graphs = directed_graphs(graphon, seed)
        for method in METHODS:
            settings = {"seed": seed} if method == "sba" else {}
            edges, _ = estimators.room.make(method, faithful=True, **settings).fit(graphs, NODES)
            found[method].append(resized_error(edges.numpy(), graphon))
    return found


@pytest.mark.parametrize(("cell", "printed"), published("estimators").items(), ids=str)
def test_published_errors(cell, printed):
    graphon, method = GRAPHONS[cell.group], cell.method
    mean, spread = np.mean(errors(graphon)[method]), np.std(errors(graphon)[method], ddof=1)
    slip = SLIPS.get((graphon, method))
    allowed = 2 * np.hypot(printed.std, max(printed.std, spread))  # three trials may lie too close
    assert abs(mean - (slip or printed.mean)) <= allowed
    assert (abs(mean - printed.mean) > allowed) == (slip is not None)


def test_the_grid_is_the_published_one():
    grid = np.arange(1, 1001) / 1000
    assert np.allclose(grid_values("product"), np.outer(grid, grid)[::-1, ::-1])
    falling = np.exp(-(grid[:, None] ** 0.7 + grid**0.7))
    assert np.allclose(grid_values("exponential-sum"), falling)


def test_the_experiment_shows_both_tables(monkeypatch):
    five = {method: estimators.room.find(method) for method in METHODS}
    monkeypatch.setitem(estimators.room.__dict__, "parts", five)
    told = []
    first, second = Estimators(seeds=1).run(told.append)
    assert len(first.rows) == 25
    assert sum(row[-1] == "no" for row in first.rows) >= 3
    assert "Not reproduced here: " in first.markdown()
    assert [row[0] for row in second.rows] == list(METHODS)
    assert len(second.header) == 6
    assert told[0] == "published protocol: product"
