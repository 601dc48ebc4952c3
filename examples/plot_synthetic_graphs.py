"""Synthetic graphs
================

Real graphs with one hub or two, synthetic ones of either class, and graphs between the two.
"""

from pathlib import Path

from gmixup import GMixup, datasets
from gmixup.experiments.synthetic_graphs import draw_with_hubs, hubs
from gmixup.plots import save_compact

graphs = datasets.load("one-and-two-hubs")
fitted = GMixup(estimator="histogram", resolution=40, positions="grid").fit(graphs)
one, two = fitted.graphons
kinds = {f"real, class {label}": part for label, part in graphs.by_class().items()}
for name, graphon in (("λ = 1", one), ("λ = 0", two), ("λ = ½", one.mix(two, 0.5))):
    kinds[f"synthetic, {name}"] = graphon.sample_many(100, positions="grid", density="matched")
save_compact(
    draw_with_hubs({name: part.subset(range(4)) for name, part in kinds.items()}),
    Path("synthetic-graphs.png"),
)
for name, part in kinds.items():
    print(f"{name}: {hubs(part).mean():.2f} hubs a graph")
