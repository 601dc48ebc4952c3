"""Densities, cut norms and the theorems against their definitions."""

import math
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gmixup import GraphSet, motifs, theory
from tests.reference import theory as reference
from tests.strategies import adjacencies, as_data, random_graph, step_functions

SMALL_MOTIFS = [graph for graph in nx.graph_atlas_g() if 1 <= len(graph) <= 5]
# Motifs of six nodes in which one node, or two, have to be fixed, or the parts separate.
LARGE_MOTIFS = [
    nx.complete_bipartite_graph(3, 3),
    nx.circular_ladder_graph(3),
    nx.octahedral_graph(),
    nx.complete_graph(6),
    nx.wheel_graph(6),
    nx.disjoint_union(nx.complete_graph(4), nx.path_graph(2)),
]
NAMED = ["node", "edge", "wedge", "triangle", "square", "path-4", "star-3", "cycle-5", "clique-4"]
graphs_up_to_5 = st.sampled_from(SMALL_MOTIFS)
lams = st.sampled_from([0.0, 0.1, 0.5, 0.8, 1.0])


def symmetric(steps, seed=0, low=0.0):
    values = np.random.default_rng(seed).uniform(low, 1, (steps, steps))
    return (values + values.T) / 2


def test_density_in_a_step_function_is_the_mean_over_all_maps():
    for number, motif in enumerate(SMALL_MOTIFS + LARGE_MOTIFS):
        w = symmetric(3, seed=number)
        expected = reference.homomorphism_density(motif, w)
        assert theory.homomorphism_density(motif, w) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("small", [0, motifs.SMALL])
def test_density_in_a_graph_is_that_in_its_matrix(small, monkeypatch):
    monkeypatch.setattr(motifs, "SMALL", small)
    for number, motif in enumerate(SMALL_MOTIFS + LARGE_MOTIFS):
        matrix = random_graph(np.random.default_rng(number), 8, 0.6)
        in_matrix = theory.homomorphism_density(motif, torch.from_numpy(matrix))
        assert theory.homomorphism_density(motif, sp.csr_array(matrix)) == pytest.approx(in_matrix)


def test_every_way_to_give_a_graph_or_a_step_function_gives_the_same():
    matrix = random_graph(np.random.default_rng(3), 9, 0.5)
    ways = [
        matrix,
        torch.from_numpy(matrix),
        SimpleNamespace(edges=torch.from_numpy(matrix)),
        sp.csr_array(matrix),
        nx.from_numpy_array(matrix, edge_attr=None),
        as_data(matrix),
        GraphSet.of([as_data(matrix)]),
    ]
    for name in NAMED:
        values = [theory.homomorphism_density(name, way) for way in ways]
        assert values == pytest.approx([values[0]] * len(ways), rel=1e-12)


def test_names_stand_for_these_graphs():
    expected = {
        "node": nx.empty_graph(1),
        "edge": nx.path_graph(2),
        "wedge": nx.star_graph(2),
        "triangle": nx.complete_graph(3),
        "square": nx.complete_bipartite_graph(2, 2),
        "path-4": nx.path_graph(4),
        "cycle-5": nx.cycle_graph(5),
        "clique-4": nx.complete_graph(4),
        "star-3": nx.complete_bipartite_graph(1, 3),
    }
    for name, graph in expected.items():
        assert nx.is_isomorphic(motifs.motif_graph(name), graph)


def test_densities_are_exact_where_they_are_whole():
    ones = np.ones((3, 3))
    for name in NAMED:
        assert theory.homomorphism_density(name, ones) == 1.0
    graph = nx.complete_graph(7)
    assert theory.homomorphism_density("triangle", graph) == 7 * 6 * 5 / 7**3
    assert theory.homomorphism_density("clique-8", graph) == 0


def test_counts_in_graphs_agree_with_networkx():
    for seed in range(5):
        graph = nx.gnp_random_graph(30, 0.3, seed=seed)
        size = len(graph)
        cliques = sum(len(clique) == 4 for clique in nx.enumerate_all_cliques(graph))
        stars = sum(degree**5 for _, degree in graph.degree)
        density = theory.motif_densities(graph, ["triangle", "clique-4", "star-5", "square"])[0]
        walks = np.trace(np.linalg.matrix_power(nx.to_numpy_array(graph), 4))
        assert density[0].item() == 2 * sum(nx.triangles(graph).values()) / size**3
        assert density[1].item() == 24 * cliques / size**4
        assert density[2].item() == stars / size**6
        assert density[3].item() == walks / size**4


@pytest.mark.parametrize("wedges", [1, 20, motifs.WEDGES_AT_ONCE])
@given(matrices=adjacencies())
@settings(max_examples=20)
def test_many_graphs_at_once_are_each_graph_alone(wedges, matrices):
    names = [*NAMED, nx.circular_ladder_graph(3), nx.empty_graph(2)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(motifs, "WEDGES_AT_ONCE", wedges)
        together = theory.motif_densities([as_data(matrix) for matrix in matrices], names)
    assert together.shape == (len(matrices), len(names))
    assert together.dtype == torch.float64
    for matrix, densities in zip(matrices, together.tolist(), strict=True):
        alone = [theory.homomorphism_density(m, matrix) if len(matrix) else 0.0 for m in names]
        assert densities == pytest.approx(alone, rel=1e-12)


@given(motif=graphs_up_to_5, w=step_functions(), seed=st.integers(0, 99))
def test_density_knows_neither_the_names_of_nodes_nor_how_finely_cells_are_cut(motif, w, seed):
    order = np.random.default_rng(seed).permutation(len(w))
    renamed = nx.relabel_nodes(motif, {node: f"node {node}" for node in motif})
    value = theory.homomorphism_density(motif, w)
    assert 0 <= value <= 1
    assert theory.homomorphism_density(renamed, w[order][:, order]) == pytest.approx(value)
    finer = reference.refined(w.numpy(), 3 * len(w))
    assert theory.homomorphism_density(motif, finer) == pytest.approx(value)


@given(a=step_functions(most=4), b=step_functions(most=3))
def test_cut_norm_is_the_largest_over_all_pairs_of_sets(a, b):
    steps = math.lcm(len(a), len(b))
    if steps <= 8:
        difference = reference.refined(a.numpy(), steps) - reference.refined(b.numpy(), steps)
        found = theory.cut_norm(a, b)
        assert found.exact
        assert float(found) == found.value == found.lower == found.upper
        assert found.value == pytest.approx(reference.cut_norm(difference), abs=1e-14)


def test_cut_norm_tries_every_set_beyond_one_block_too():
    difference = symmetric(14, seed=2, low=-1)
    sets = np.array(list(np.ndindex(*[2] * 14)))
    columns = sets @ difference
    expected = max(columns.clip(min=0).sum(1).max(), (-columns).clip(min=0).sum(1).max()) / 14**2
    assert theory.cut_norm(difference).value == pytest.approx(expected, rel=1e-12)


@given(a=step_functions(most=9), b=step_functions(most=9), hub=st.floats(0, 1))
def test_bounds_contain_the_cut_norm(a, b, hub):
    a = a.clone()
    a[0] = a[:, 0] = hub
    truth = theory.cut_norm(a, b)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(theory, "ENUMERATED", 0)
        bounds = theory.cut_norm(a, b)
    assert truth.exact
    assert bounds.lower <= truth.value * (1 + 1e-9)
    assert truth.value <= bounds.upper * (1 + 1e-9)
    assert bounds.upper <= 1.8 * truth.value + 1e-12


def test_the_spectral_bound_alone_is_a_bound():
    for seed in range(40):
        mass = symmetric(3 + seed % 12, seed, low=-1)
        assert theory._spectral_bound(mass) >= theory._largest_cut(mass)


def test_bounds_are_close_on_large_step_functions():
    x = (np.arange(60) + 0.5) / 60
    smooth = np.outer(x, x) - np.exp(-np.add.outer(x**0.7, x**0.7))
    for difference, within in ((smooth, 1.1), (symmetric(60, low=-1), 1.3)):
        norm = theory.cut_norm(difference)
        assert not norm.exact
        assert norm.value == norm.lower <= norm.upper <= within * norm.lower


def test_cut_norm_of_one_sign_is_its_integral_at_any_size():
    w = symmetric(50, seed=4)
    norm = theory.cut_norm(w)
    assert norm.exact
    assert norm.value == pytest.approx(w.mean(), rel=1e-9)
    assert theory.cut_norm(-w).value == pytest.approx(w.mean(), rel=1e-9)
    assert theory.cut_norm(w, w) == theory.CutNorm(0.0, 0.0, exact=True)


def test_cells_that_are_alike_count_as_one():
    coarse = symmetric(6, seed=5, low=-1)
    fine = theory.cut_norm(reference.refined(coarse, 60))
    assert fine.exact
    assert fine.value == pytest.approx(reference.cut_norm(coarse))


@given(a=step_functions(most=6), b=step_functions(most=6), c=step_functions(most=6), factor=lams)
def test_cut_norm_is_a_norm(a, b, c, factor):
    ab, bc, ac = (theory.cut_norm(*pair).value for pair in ((a, b), (b, c), (a, c)))
    assert ac <= ab + bc + 1e-12
    assert theory.cut_norm(b, a).value == pytest.approx(ab, abs=1e-14)
    assert theory.cut_norm(factor * a).value == pytest.approx(factor * theory.cut_norm(a).value)
    assert theory.cut_norm(-a).value == pytest.approx(theory.cut_norm(a).value)


def test_cut_norm_is_the_same_for_the_same_seed():
    difference = symmetric(30, low=-1)
    assert theory.cut_norm(difference, seed=1) == theory.cut_norm(difference, seed=1)


@given(motif=graphs_up_to_5, a=step_functions(), seed=st.integers(0, 99))
def test_counting_lemma(motif, a, seed):
    b = torch.from_numpy(symmetric(len(a), seed))
    moved = theory.homomorphism_density(motif, a) - theory.homomorphism_density(motif, b)
    assert abs(moved) <= motif.number_of_edges() * theory.cut_norm(a, b).upper + 1e-12


@given(motif=graphs_up_to_5, first=step_functions(), second=step_functions(), lam=lams)
def test_theorem_1(motif, first, second, lam):
    found = theory.mixing_bound(motif, first, second, lam)
    steps = math.lcm(len(first), len(second))
    one, two = (reference.refined(w.numpy(), steps) for w in (first, second))
    mixed, *classes = (
        theory.homomorphism_density(motif, w) for w in (lam * one + (1 - lam) * two, one, two)
    )
    distance = theory.cut_norm(first, second).upper
    for side, share in enumerate((1 - lam, lam)):
        moved, most = found.density_difference[side], found.bound[side]
        assert moved == pytest.approx(abs(mixed - classes[side]), abs=1e-12)
        assert most == pytest.approx(share * motif.number_of_edges() * distance)
        assert moved <= most + 1e-12


def test_theorem_1_is_attained_by_the_edge_between_constants():
    found = theory.mixing_bound("edge", np.full((2, 2), 0.9), np.full((3, 3), 0.4), 0.2)
    assert found.density_difference == pytest.approx((0.4, 0.1))
    assert found.bound == pytest.approx((0.4, 0.1))
    assert found.cut_norm.exact


@pytest.mark.parametrize(("motif", "epsilon", "nodes"), [("edge", 0.3, 400), ("wedge", 0.4, 450)])
def test_theorem_2_on_sampled_graphs(motif, epsilon, nodes):
    # All randomness that the theorem allows: an edge is certain in one half and absent elsewhere.
    w = np.array([[1.0, 0.0], [0.0, 0.0]])
    bound = theory.sampling_bound(motif, nodes, epsilon)
    rng = np.random.default_rng(0)
    graphs = [sp.csr_array(reference.sampled(w, nodes, rng)) for _ in range(40)]
    found = theory.motif_densities(graphs, [motif]).flatten().numpy()
    errors = found - theory.homomorphism_density(motif, w)
    assert 0 < bound < 1
    assert np.mean(np.abs(errors) > epsilon) <= bound
    # Maps that send two nodes to one image are the bias: at most v^2 / 2n.
    bias = len(motifs.motif_graph(motif)) ** 2 / (2 * nodes)
    assert abs(errors.mean()) <= bias + 4 * errors.std() / math.sqrt(len(graphs))


def test_sampling_bound_is_the_formula_and_1_where_it_says_nothing():
    expected = 2 * math.exp(-(0.2**2) * 5000 / (8 * 9))
    assert theory.sampling_bound("triangle", 5000, 0.2) == pytest.approx(expected)
    assert theory.sampling_bound("triangle", 20, 0.2) == 1.0


@given(
    motif=st.sampled_from(["node", "edge", "triangle", "star-5"]),
    epsilon=st.floats(0.01, 0.99),
    probability=st.floats(0.001, 0.999),
)
def test_nodes_for_is_the_fewest(motif, epsilon, probability):
    nodes = theory.nodes_for(motif, epsilon, probability)
    assert theory.sampling_bound(motif, nodes, epsilon) <= probability * (1 + 1e-9)
    if nodes > 1:
        assert theory.sampling_bound(motif, nodes - 1, epsilon) > probability


@given(w=step_functions(least=8, most=8), steps=st.sampled_from([2, 4]))
def test_weak_regularity_holds_for_block_means(w, steps):
    w = w.numpy()
    width = 8 // steps
    blocks = w.reshape(steps, width, steps, width).mean((1, 3))
    bound = theory.weak_regularity_bound(w, steps)
    assert bound == pytest.approx(2 / math.sqrt(math.log(steps)) * math.sqrt((w**2).mean()))
    assert theory.cut_norm(w, blocks).upper <= bound
    assert theory.weak_regularity_bound(w, 1) == math.inf


@given(w=step_functions(least=4, most=4))
@settings(max_examples=10)
def test_probabilities_of_graphs(w):
    graphs = list(reference.probabilities(w.numpy()))
    for graph, chance in graphs:
        assert theory.log_probability_of(w, graph) == pytest.approx(math.log(chance))
    identical = sum(chance**2 for _, chance in graphs)
    assert theory.log_probability_identical(w) == pytest.approx(math.log(identical))


def test_all_pairs_are_the_papers_product():
    w, a = symmetric(5), random_graph(np.random.default_rng(0), 5, 0.5)
    identical = theory.log_probability_identical(w, pairs="all")
    assert identical == pytest.approx(np.log(np.prod(w**2 + (1 - w) ** 2)))
    chance = np.prod(w**a * (1 - w) ** (1 - a))
    assert theory.log_probability_of(w, a, pairs="all") == pytest.approx(np.log(chance))


def test_certain_and_impossible_graphs():
    complete = np.ones((3, 3)) - np.eye(3)
    assert theory.log_probability_of(np.ones((3, 3)), complete) == 0
    assert theory.log_probability_of(np.zeros((3, 3)), complete) == -math.inf
    assert theory.log_probability_of(np.ones((3, 3)), complete, pairs="all") == -math.inf
    assert theory.log_probability_identical(complete) == 0
    assert theory.log_probability_of(np.full((1, 1), 0.5), np.zeros((1, 1))) == 0


def test_a_graph_in_any_form_has_the_same_probability():
    w, a = symmetric(6), random_graph(np.random.default_rng(1), 6, 0.5)
    forms = [a, torch.from_numpy(a), sp.csr_array(a), as_data(a), nx.from_numpy_array(a)]
    values = [theory.log_probability_of(w, form) for form in forms]
    assert values == pytest.approx([values[0]] * len(forms))


HALF = np.full((2, 2), 0.5)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: theory.homomorphism_density("pentagon", HALF), "`motif` is 'pentagon'; the names"),
        (lambda: theory.homomorphism_density("cycle-2", HALF), "N must be from 3 to 32"),
        (lambda: theory.homomorphism_density("star-32", HALF), "N must be from 1 to 31"),
        (lambda: theory.homomorphism_density(5, HALF), "`motif` is a int; give a name"),
        (lambda: theory.homomorphism_density(nx.DiGraph([(0, 1)]), HALF), "must be a simple graph"),
        (lambda: theory.homomorphism_density(nx.Graph([(0, 0)]), HALF), "must be a simple graph"),
        (lambda: theory.homomorphism_density(nx.path_graph(7), HALF), "has 7 nodes; .* 1 to 6"),
        (
            lambda: theory.homomorphism_density("edge", np.ones((2, 3))),
            r"`where` has shape \(2, 3\)",
        ),
        (lambda: theory.homomorphism_density("edge", np.full((2, 2), np.nan)), "`where` holds NaN"),
        (lambda: theory.homomorphism_density("edge", HALF * 3), "from 1.5 to 1.5; probabilities"),
        (lambda: theory.homomorphism_density("edge", np.eye(2)[::-1] * [[1], [0.5]]), "symmetric"),
        (
            lambda: theory.homomorphism_density("edge", [as_data(HALF)] * 2),
            "`where` holds 2 graphs",
        ),
        (lambda: theory.cut_norm(np.ones((0, 0))), r"`a` has shape \(0, 0\)"),
        (lambda: theory.cut_norm(HALF, np.triu(HALF)), "`b` is not symmetric, by up to 0.5"),
        (lambda: theory.mixing_bound("edge", HALF, HALF, 1.5), "`lam` is 1.5"),
        (lambda: theory.mixing_bound("edge", HALF, HALF - 1, 0.5), "`second` has values from -0.5"),
        (lambda: theory.sampling_bound("edge", 0, 0.5), "`nodes` is 0"),
        (lambda: theory.sampling_bound("edge", 9, 1.0), "`epsilon` is 1.0; .* between 0 and 1"),
        (lambda: theory.nodes_for("edge", 0.5, 0), "`probability` is 0;"),
        (lambda: theory.weak_regularity_bound(HALF, 0), "`steps` is 0"),
        (lambda: theory.log_probability_identical(HALF, pairs="some"), "`pairs` is 'some'"),
        (lambda: theory.log_probability_of(HALF, np.zeros((3, 3))), "has 3 nodes but `graphon` 2"),
        (lambda: theory.log_probability_of(HALF, HALF), "values other than 0 and 1"),
    ],
)
def test_refusals_say_what_is_wrong(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_directed_sets_are_refused():
    one_way = GraphSet.of(np.triu(np.ones((3, 3)), 1), directed="as-is")
    with pytest.raises(ValueError, match="`graphs` are directed"):
        theory.motif_densities(one_way, ["edge"])
