"""Fidelity
========

How far synthetic graphs are from real ones, property by property, by three settings.
"""

from matplotlib.figure import Figure

from gmixup import GMixup, datasets, fidelity

graphs = datasets.load("two-and-eight-communities")
real = graphs.by_class()[1]
settings = {"default": GMixup(), "paper()": GMixup.paper(), "authors()": GMixup.authors()}
figure = Figure((8, 4), layout="constrained")
axes = figure.subplots()
for name, mixup in settings.items():
    graphon = mixup.fit(graphs).graphons[1]
    nodes = None if mixup.nodes == "class" else graphon.resolution
    options = {"positions": mixup.positions, "isolated": mixup.isolated, "density": mixup.density}
    found = fidelity.compare(real, graphon.sample_many(200, nodes, **options))
    rows = [row for row in found.rows if row.ratio is not None]
    axes.plot([row.ratio for row in rows], [row.name for row in rows], "o", label=name)
    print(name, *(f"{row.name} {row.ratio:.1f}" for row in rows[:4]), sep=", ")
axes.axvline(1, color="grey", linewidth=0.8)
axes.set(xscale="log", xlabel="distance to the real graphs over that between their halves")
axes.invert_yaxis()
axes.legend()
figure.savefig("fidelity.png", dpi=130)
