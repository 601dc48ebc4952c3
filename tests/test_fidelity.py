"""Fidelity: the distances of the definition, and a floor that two samples of one law meet."""

import json
from dataclasses import FrozenInstanceError, replace

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from gmixup import GraphSet, fidelity
from gmixup.properties import SPECTRUM_NODES
from tests.reference import fidelity as reference
from tests.strategies import adjacencies, as_data, random_graph

ON_NODES = {
    "degree law": reference.degrees,
    "clustering law": reference.clustering,
    "spectrum": reference.eigenvalues,
}


def random_set(seed, count, density=0.3, nodes=(6, 14)):
    """Random graphs whose sizes and densities vary."""
    rng = np.random.default_rng(seed)
    return [
        random_graph(rng, int(rng.integers(*nodes)), density * rng.uniform(0.5, 1.5))
        for _ in range(count)
    ]


def networks(matrices):
    return [nx.from_numpy_array(matrix) for matrix in matrices]


def distances(result):
    return {row.name: row.distance for row in result.rows}


@given(adjacencies(most_nodes=6))
@settings(max_examples=40)
def test_the_numbers_of_a_graph_are_those_of_the_definition(matrices):
    found = fidelity.properties(matrices)
    wanted = [reference.numbers(graph) for graph in networks(matrices)]
    assert set(found) == {*wanted[0], "self-loops"}
    for name in wanted[0]:
        np.testing.assert_allclose(found[name], [each[name] for each in wanted], err_msg=name)


@pytest.mark.parametrize("law", fidelity.LAWS, ids=lambda law: law.name)
@given(matrices=adjacencies())
@settings(max_examples=40)
def test_the_laws_of_a_graph_are_those_of_the_definition(law, matrices):
    spread, histograms = law.of(GraphSet.of(matrices))
    values = [ON_NODES[law.name](graph) for graph in networks(matrices)]
    np.testing.assert_allclose(spread, [np.std(v) if len(v) else 0 for v in values], atol=1e-8)
    np.testing.assert_allclose(histograms, [reference.histogram(v, law.bins) for v in values])


@given(adjacencies(), adjacencies())
@settings(max_examples=40)
def test_the_distances_are_those_of_the_definition(real, synthetic):
    result = fidelity.compare(real, synthetic)
    numbers = fidelity.properties(real), fidelity.properties(synthetic)
    for name in numbers[0]:
        first, second = numbers[0][name], numbers[1][name]
        spread = np.std(first)
        unit = spread if spread > 1e-6 * np.mean(first) else np.mean(first) or 1
        wanted = reference.wasserstein(first, second) / unit
        assert result[name].distance == pytest.approx(wanted, abs=1e-9), name
        assert result[name].real == pytest.approx(np.mean(first))
        assert result[name].synthetic_sd == pytest.approx(np.std(second))
    for law in fidelity.LAWS:
        (_, first), (_, second) = law.of(GraphSet.of(real)), law.of(GraphSet.of(synthetic))
        wanted = reference.discrepancy(first, second)
        assert result[law.name].distance == pytest.approx(wanted, abs=1e-6), law.name


def test_the_floor_is_the_mean_over_all_halvings_brought_to_the_sizes_compared():
    real, synthetic = random_set(0, 7), random_set(1, 20)
    result = fidelity.compare(real, synthetic, halvings=4000)
    edges = fidelity.properties(real)["edges"]
    wanted = reference.floor(reference.wasserstein, edges, synthetic) / edges.std()
    assert result["edges"].floor == pytest.approx(wanted, rel=0.03)
    (law,) = (law for law in fidelity.LAWS if law.name == "degree law")
    wanted = reference.floor(reference.discrepancy, law.of(GraphSet.of(real))[1], synthetic)
    assert result["degree law"].floor == pytest.approx(wanted, rel=0.03)
    assert result["edges"].ratio == pytest.approx(result["edges"].distance / result["edges"].floor)


@pytest.mark.parametrize(("real", "synthetic"), [(60, 60), (30, 240), (240, 30)])
def test_two_samples_of_one_law_are_as_far_apart_as_the_floor(real, synthetic):
    drawn = [
        fidelity.compare(random_set(2 * i, real), random_set(2 * i + 1, synthetic), seed=i)
        for i in range(12)
    ]
    for name in ("nodes", "density", "mean clustering", "square motif", *ON_NODES):
        assert np.mean([result[name].ratio for result in drawn]) == pytest.approx(1, abs=0.3), name


def test_another_law_is_far_above_the_floor():
    result = fidelity.compare(random_set(0, 150), random_set(1, 150, density=0.5))
    for name in ("edges", "density", "isolated nodes", "triangle motif", *ON_NODES):
        assert result[name].ratio > 3, name
    assert result["nodes"].ratio < 3


def test_rings_and_triangles_differ_in_clustering_and_not_in_degrees():
    sizes = [12, 15, 18, 21]
    rings = [nx.cycle_graph(size) for size in sizes]
    triangles = [nx.disjoint_union_all([nx.cycle_graph(3)] * (size // 3)) for size in sizes]
    result = fidelity.compare(rings, triangles)
    for name in ("nodes", "edges", "largest degree", "degree law", "star-3 motif"):
        assert result[name].distance == pytest.approx(0, abs=1e-7), name
    assert (result["mean clustering"].real, result["mean clustering"].synthetic) == (0, 1)
    # All rings have clustering 0, so the difference is in plain units.
    assert result["mean clustering"].distance == pytest.approx(1)
    assert result["mean clustering"].ratio is None
    assert "all alike" in result["mean clustering"].reason
    assert result["clustering law"].distance > 0.5
    assert result["spectrum"].distance > 0.5


@given(adjacencies(), st.integers(0, 5))
@settings(max_examples=40)
def test_a_set_and_itself_are_nothing_apart_in_any_numbering(matrices, seed):
    rng = np.random.default_rng(seed)
    mixed = [matrix[np.ix_(p, p)] for matrix in matrices for p in [rng.permutation(len(matrix))]]
    result = fidelity.compare(matrices, mixed, seed)
    for row in result.rows:
        assert row.distance == pytest.approx(0, abs=1e-6), row.name
        assert row.real == pytest.approx(row.synthetic)
        assert row.real_sd == pytest.approx(row.synthetic_sd, abs=1e-9)


def test_the_seed_decides_the_halvings_and_nothing_else():
    real, synthetic = random_set(0, 20), random_set(1, 30)
    first, again, other = (fidelity.compare(real, synthetic, seed) for seed in (3, 3, 4))
    assert first == again
    assert distances(first) == distances(other)
    assert all(a.floor != b.floor for a, b in zip(first.rows, other.rows, strict=True) if a.ratio)


def test_hubs_are_no_obstacle():
    # The square of this adjacency matrix has 4e8 entries.
    fan = nx.star_graph(20_000)
    fan.add_edges_from([(1, 2), (2, 3)])
    found, pairs = fidelity.properties([fan]), 20_000 * 19_999 / 2
    assert found["transitivity"] == pytest.approx(6 / (pairs + 5))
    assert found["mean clustering"] == pytest.approx((1 + 1 + 2 / 3 + 2 / pairs) / 20_001)


def test_large_sets_are_compared_by_a_part_that_is_said(monkeypatch):
    laws = tuple(replace(law, most_graphs=5) for law in fidelity.LAWS)
    monkeypatch.setattr(fidelity, "LAWS", laws)
    real = random_set(0, 8)
    result = fidelity.compare(real, random_set(1, 4))
    assert "degree law: from 5 real and 4 synthetic graphs, drawn by seed." in result.notes
    assert result["nodes"].real == pytest.approx(np.mean([len(matrix) for matrix in real]))
    same = fidelity.compare(real, real)
    assert same["degree law"].distance == pytest.approx(0, abs=1e-7)


def test_eigenvalues_are_of_graphs_within_a_limit():
    large, small = nx.path_graph(SPECTRUM_NODES + 1), nx.path_graph(4)
    row = fidelity.compare([large], [small])["spectrum"]
    assert (row.real, row.distance, row.floor, row.ratio) == (None,) * 4
    assert row.reason == "a set has no graph of at most 500 nodes"
    both = fidelity.compare([large, small, small], [small, small])
    assert both["spectrum"].distance == pytest.approx(0, abs=1e-7)
    assert any("from 2 real and 2 synthetic graphs of at most 500" in note for note in both.notes)


def test_one_real_graph_has_no_floor():
    result = fidelity.compare([nx.path_graph(4)], random_set(0, 3))
    for row in result.rows:
        assert row.distance is not None
        assert (row.floor, row.ratio) == (None, None)
        assert row.reason == "one real graph has no halves, so there is no floor"


def test_graphs_without_edges_or_nodes_are_graphs():
    empty = [np.zeros((0, 0)), np.zeros((3, 3)), np.zeros((1, 1))]
    result = fidelity.compare(empty, empty)
    assert max(distances(result).values()) == pytest.approx(0, abs=1e-7)
    assert result["isolated nodes"].real == pytest.approx(2 / 3)
    assert result["nodes"].ratio == 0
    cliques = [nx.complete_graph(5), nx.complete_graph(6)]
    against = fidelity.compare(empty, cliques)
    assert all(np.isfinite(row.distance) for row in against.rows)
    assert against["mean clustering"].distance == pytest.approx(1)
    assert fidelity.compare([np.zeros((0, 0))], cliques)["degree law"].distance > 0


def test_self_loops_are_counted_and_play_no_other_part():
    plain = random_set(0, 6)
    looped = [matrix + np.diag(np.arange(len(matrix)) < 2) for matrix in plain]
    for sets in (looped, [as_data(m) for m in looped], networks(looped)):
        result = fidelity.compare(plain, sets)
        assert (result["self-loops"].real, result["self-loops"].synthetic) == (0, 2)
        others = [row.distance for row in result.rows if row.name != "self-loops"]
        np.testing.assert_allclose(others, 0, atol=1e-7)
    kept = GraphSet.of(looped, directed="as-is")
    assert fidelity.compare(kept, looped)["self-loops"].real == 2


def test_what_cannot_be_compared_is_refused_in_words():
    graphs = [nx.path_graph(3)]
    one_way = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2)
    with pytest.raises(ValueError, match=r"`synthetic` holds directed graphs .*symmetrise"):
        fidelity.compare(graphs, [one_way])
    with pytest.raises(ValueError, match="`data` holds no graph"):
        fidelity.compare([], graphs)
    with pytest.raises(ValueError, match="`real` holds no graph; give at least one"):
        fidelity.compare(GraphSet.of(graphs).subset([]), graphs)
    with pytest.raises(ValueError, match="`halvings` is 0; the floor needs at least 1"):
        fidelity.compare(graphs, graphs, halvings=0)
    with pytest.raises(KeyError, match="no property 'girth'; there are nodes, edges, density"):
        fidelity.compare(graphs, graphs)["girth"]


def test_the_result_is_read_as_text_markdown_and_json():
    result = fidelity.compare(random_set(0, 5), random_set(1, 6))
    lines = repr(result).splitlines()
    assert lines[0] == "5 real against 6 synthetic graphs (mean ± sd)"
    assert lines[1].split() == list(fidelity.HEADER)
    row = result["mean degree"]
    assert [f"{row.real:.3g}", "±", f"{row.real_sd:.3g}"] == lines[7].split()[2:5]
    assert fidelity.INDEPENDENCE in lines
    assert "self-loops: the real graphs are all alike, so there is no ratio to the floor." in lines
    table = [line for line in result.markdown().splitlines() if line.startswith("|")]
    assert len(table) == 2 + len(result.rows)
    assert len({line.count("|") for line in table}) == 1
    stored = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert stored["graphs"] == {"real": 5, "synthetic": 6}
    assert stored["properties"]["mean degree"]["ratio"] == row.ratio
    with pytest.raises(FrozenInstanceError):
        row.ratio = 1.0
