"""Graphons of two classes
=======================

The graphons of two classes, and mixtures of them on the way from one to the other.
"""

from gmixup import datasets, estimators
from gmixup.plots import draw_graphons, save_figure

graphs = datasets.load("two-and-eight-communities")
estimator = estimators.Histogram(resolution=40)
two, eight = (estimator.estimate(part) for part in graphs.by_class().values())
shares = (1.0, 0.75, 0.5, 0.25, 0.0)
mixtures = {f"λ = {share:g}": two.mix(eight, share) for share in shares}
save_figure(draw_graphons(mixtures, "from two communities to eight"), "graphons.png")
for name, graphon in mixtures.items():
    print(name, graphon)
