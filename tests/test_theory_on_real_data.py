"""The theorems hold on graphons of real data."""

import pytest
import torch

from gmixup import estimators, theory
from tests.real_data import real

SETS = ("IMDB-BINARY", "PROTEINS", "MUTAG", "REDDIT-BINARY")


@pytest.fixture(scope="module", params=SETS)
def graphons(request):
    """The graphons of two classes."""
    parts = real(request.param).by_class()
    return [estimators.LG(resolution=20).estimate(parts[label]) for label in (0, 1)]


@pytest.mark.parametrize("motif", ["edge", "triangle", "square", "star-3"])
@pytest.mark.parametrize("lam", [0.1, 0.5, 0.8])
def test_mixing_moves_motifs_no_farther_than_theorem_1_says(graphons, motif, lam):
    result = theory.mixing_bound(motif, *graphons, lam)
    mixture = graphons[0].mix(graphons[1], lam)
    there = theory.homomorphism_density(motif, mixture)
    for graphon, moved, bound in zip(
        graphons, result.density_difference, result.bound, strict=True
    ):
        assert moved == pytest.approx(abs(there - theory.homomorphism_density(motif, graphon)))
        assert moved <= bound + 1e-12


def test_sampled_graphs_keep_motifs_as_theorem_2_says(graphons):
    mixture = graphons[0].mix(graphons[1], 0.5)
    nodes, epsilon = 1200, 0.3
    bound = theory.sampling_bound("edge", nodes, epsilon)
    assert bound < 0.1  # else the theorem says nothing here
    sampled = mixture.sample_many(20, nodes=nodes, seed=0)
    drawn = theory.motif_densities(sampled, ["edge"])[:, 0]
    far = (drawn - theory.homomorphism_density("edge", mixture)).abs() > epsilon
    assert float(far.double().mean()) <= bound
    assert bool(torch.isfinite(drawn).all())
