"""Graphon: a step function with features, sizes and a label; mix, measure and sample it."""

import math
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from gmixup import theory
from gmixup.choices import check_choice
from gmixup.columns import Columns
from gmixup.graphs import GraphSet
from gmixup.sampling import Isolated, Positions
from gmixup.seeds import as_generator
from gmixup.sizes import SizeLaw
from gmixup.stack import Stack
from gmixup.surfaces import surface
from gmixup.synthesis import Density, draw_graphs
from gmixup.transport import gromov_wasserstein

Distance = Literal["l2", "cut", "gromov-wasserstein"]

# The finest common refinement that is formed for two graphons of different resolution.
FINEST = 4096

STORED = {"edges", "features", "edge_features", "label"} | {"size_pairs", "size_weights"}
STORED |= {"columns", "edge_columns"}  # the arrays of a saved graphon


@dataclass(frozen=True, eq=False, repr=False)
class Graphon:
    """A step function W on [0, 1]² with K equal steps; position 0 has the largest degree.

    `features` and `edge_features` are means by cell of what `columns` and `edge_columns` describe
    (a category by the chances of its levels); without a description they are plain numbers.
    """

    edges: Tensor  # (K, K) float64 in [0, 1], symmetric
    features: Tensor | None = None  # (K, F)
    edge_features: Tensor | None = None  # (K, K, Fe)
    label: Tensor | None = None  # (C,)
    sizes: SizeLaw | None = None
    columns: Columns | None = None
    edge_columns: Columns | None = None

    def __post_init__(self) -> None:
        for name, dimensions in (("edges", 2), ("features", 2), ("edge_features", 3), ("label", 1)):
            value = getattr(self, name)
            if value is None and name != "edges":
                continue
            if isinstance(value, Tensor):
                value = value.detach().cpu().double().clone()
            else:
                value = torch.from_numpy(np.array(value, dtype=np.float64, order="C"))
            shape = value.shape[:1] * 2 if name in ("edges", "edge_features") else ()
            if value.ndim != dimensions or tuple(value.shape[: len(shape)]) != shape:
                wanted = {"edges": "(K, K)", "features": "(K, F)", "label": "(C,)"}
                raise ValueError(
                    f"`{name}` has shape {tuple(value.shape)}; "
                    f"it must be {wanted.get(name, '(K, K, Fe)')}"
                )
            if not torch.isfinite(value).all():
                raise ValueError(f"`{name}` holds NaN or infinite values")
            object.__setattr__(self, name, value)
        _check_probabilities(self.edges)
        for name in ("features", "edge_features"):
            value = getattr(self, name)
            if value is not None and len(value) != self.resolution:
                raise ValueError(
                    f"`{name}` has {len(value)} cells but `edges` has {self.resolution}; "
                    "give one row for each cell"
                )

    @classmethod
    def of_function(cls, function: Callable, resolution: int, place: float = 0.5) -> "Graphon":
        """A function of two arrays in [0, 1], read at (k + place) / K in each cell k."""
        grid = (np.arange(resolution) + place) / resolution
        return cls(torch.as_tensor(np.asarray(function(grid[:, None], grid[None, :]), float)))

    @classmethod
    def named(cls, name: str, resolution: int = 200, place: float = 0.5) -> "Graphon":
        """A synthetic graphon by name, e.g. `product`; `gmixup.surfaces.SURFACES` has them all."""
        return cls.of_function(surface(name), resolution, place)

    @property
    def resolution(self) -> int:
        """K, the number of steps."""
        return len(self.edges)

    def __call__(self, x: Any, y: Any) -> Any:
        """W at positions x and y in [0, 1]: floats give a float, arrays and tensors broadcast."""
        value = self.edges[self._cell(x), self._cell(y)]
        if isinstance(x, Tensor) or isinstance(y, Tensor):
            return value
        return value.item() if value.ndim == 0 else value.numpy()

    def _cell(self, position: Any) -> Tensor:
        position = torch.as_tensor(np.asarray(position)).double()
        if not bool(((position >= 0) & (position <= 1)).all()):
            raise ValueError("a position lies outside [0, 1] or is NaN")
        return (position * self.resolution).long().clamp(max=self.resolution - 1)

    def __repr__(self) -> str:
        parts = [f"{self.resolution} x {self.resolution}", f"density {self.edge_density:.4g}"]
        for name in ("features", "edge_features"):
            value = getattr(self, name)
            parts += [f"{value.shape[-1]} {name.replace('_', ' ')}"] if value is not None else []
        if self.label is not None:
            parts.append(f"label {[round(v, 4) for v in self.label.tolist()]}")
        if self.sizes is not None:
            nodes, edges = self.sizes.mean().tolist()
            parts.append(f"mean size {nodes:.1f} nodes, {edges:.1f} edges")
        return f"Graphon({', '.join(parts)})"

    # -- shape ---------------------------------------------------------------------------------

    def resample(self, resolution: int) -> "Graphon":
        """The same graphon in other steps: its mean over each new cell."""
        if resolution < 1:
            raise ValueError(f"`resolution` is {resolution}; it must be at least 1")
        if resolution == self.resolution:
            return self
        share = _overlap(self.resolution, resolution)
        edges = _symmetric(share @ self.edges @ share.T)
        edge_features = self.edge_features
        if edge_features is not None:
            # They speak of edges that are there, so they weigh by the chance of an edge.
            weighted = _by_cell(share, edge_features * self.edges[..., None])
            edge_features = _ratio(weighted, edges, _by_cell(share, edge_features))
        features = None if self.features is None else share @ self.features
        return replace(self, edges=edges, features=features, edge_features=edge_features)

    def mix(self, other: "Graphon", lam: float) -> "Graphon":
        """lam · self + (1 - lam) · other: edges, features, labels and the odds of sizes alike."""
        if not 0 <= lam <= 1:
            raise ValueError(f"`lam` is {lam}; it must lie in [0, 1]")
        first, second = common_refinement(self, other)
        one, two = torch.tensor([0]), torch.tensor([1])
        mixed = Stack.of([first, second]).mix(one, two, torch.tensor([lam], dtype=torch.float64))
        return replace(
            self,
            edges=mixed.edges[0],
            features=None if mixed.features is None else mixed.features[0],
            edge_features=None if mixed.edge_features is None else mixed.edge_features[0],
            label=None if mixed.label is None else mixed.label[0],
            sizes=self.sizes and other.sizes and self.sizes.mix(other.sizes, lam),
        )

    # -- measures ------------------------------------------------------------------------------

    def marginal(self) -> Tensor:
        """(K,) the degree function: the mean of W along each row."""
        return self.edges.mean(1)

    @property
    def edge_density(self) -> float:
        """The chance that two random nodes are joined."""
        return float(self.edges.mean())

    @property
    def triangle_density(self) -> float:
        """The chance that three random nodes are pairwise joined."""
        return theory.homomorphism_density("triangle", self)

    def distance(self, other: "Graphon", kind: Distance = "l2") -> float:
        """How far apart two graphons are; Gromov-Wasserstein forgets the order of positions."""
        check_choice("kind", kind, Distance)
        if kind == "gromov-wasserstein":
            return gromov_wasserstein(self.edges, other.edges)
        if kind == "cut":
            return float(theory.cut_norm(self, other))
        first, second = common_refinement(self, other)
        return float((first.edges - second.edges).square().mean().sqrt())

    # -- graphs --------------------------------------------------------------------------------

    def sample(
        self,
        nodes: int | None = None,
        seed: int | torch.Generator = 0,
        positions: Positions = "uniform",
        isolated: Isolated = "keep",
        density: Density = "graphon",
    ) -> Any:
        """One graph as PyG `Data`; `nodes=None` draws its size from the class's, else takes K."""
        return self.sample_many(1, nodes, seed, positions, isolated, density)[0]

    def sample_many(
        self,
        count: int,
        nodes: int | None = None,
        seed: int | torch.Generator = 0,
        positions: Positions = "uniform",
        isolated: Isolated = "keep",
        density: Density = "graphon",
    ) -> GraphSet:
        """Many graphs at once. `density="matched"` also draws the number of edges to expect."""
        check_choice("density", density, Density)
        if density == "matched" and nodes is not None:
            raise ValueError(
                f"`nodes` is {nodes} but `density='matched'` draws sizes; leave it None"
            )
        if density == "matched" and self.sizes is None:
            raise ValueError(
                "`density='matched'` needs the sizes of real graphs, which this graphon does not "
                "know; estimate it from graphs, or set `sizes`"
            )
        generator = as_generator(seed, "graphon", "sample")
        if nodes is None and self.sizes is not None:
            number, edges = self.sizes.draw(count, generator).T
        else:
            number = torch.full((count,), self.resolution if nodes is None else nodes)
            edges = None
        targets = edges.double() if density == "matched" and edges is not None else None
        owner = torch.zeros(count, dtype=torch.long)
        stack = Stack.of([self])
        return draw_graphs(stack, owner, number, generator, targets, positions, isolated)

    # -- files and pictures --------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Writes one `.npz` file of plain arrays, named as it is said."""
        arrays: dict[str, Any] = {
            name: getattr(self, name).numpy()
            for name in ("edges", "features", "edge_features", "label")
            if getattr(self, name) is not None
        }
        if self.sizes is not None:
            arrays |= {"size_pairs": self.sizes.pairs, "size_weights": self.sizes.weights}
        for name in ("columns", "edge_columns"):
            if getattr(self, name) is not None:
                arrays[name] = np.asarray(getattr(self, name).to_json())
        with Path(path).open("wb") as file:  # a name without suffix would be given one
            np.savez(file, **arrays)

    @classmethod
    def load(cls, path: str | Path) -> "Graphon":
        """Reads what `save` wrote; no pickles."""
        arrays = _stored(Path(path))
        if "size_pairs" in arrays:
            pairs, weights = (
                torch.from_numpy(arrays.pop(f"size_{n}")) for n in ("pairs", "weights")
            )
            arrays["sizes"] = SizeLaw(pairs, weights)
        for name in ("columns", "edge_columns"):
            if name in arrays:
                arrays[name] = Columns.from_json(str(arrays[name]))
        return cls(**arrays)

    def plot(self, axes: Any = None, largest: float | None = None) -> Any:
        """Draws the heat map onto matplotlib axes, and returns them."""
        if axes is None:
            import matplotlib.pyplot as plt

            axes = plt.subplots(figsize=(3.2, 3.2))[1]
        axes.imshow(self.edges, cmap="viridis", vmin=0, vmax=largest, extent=(0, 1, 1, 0))
        axes.set(xticks=[0, 1], yticks=[0, 1])
        return axes


def common_refinement(first: Graphon, second: Graphon) -> tuple[Graphon, Graphon]:
    """Both graphons in the coarsest steps that refine the steps of either."""
    steps = math.lcm(first.resolution, second.resolution)
    if steps > FINEST:
        raise ValueError(
            f"the resolutions {first.resolution} and {second.resolution} have no common refinement "
            f"of at most {FINEST} steps; `resample` one of the graphons first"
        )
    return first.resample(steps), second.resample(steps)


def _stored(path: Path) -> dict[str, Any]:
    """The arrays of a file by `Graphon.save`; any other file is refused."""
    arrays: dict[str, Any] = {}
    if zipfile.is_zipfile(path) or not path.is_file():  # what is missing numpy says itself
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
    if "edges" not in arrays or not arrays.keys() <= STORED:
        raise ValueError(f"`path` is {str(path)!r}, which is no graphon; give what `save` wrote")
    return arrays


def _overlap(old: int, new: int) -> Tensor:
    """(new, old) the share of each new step that lies in each old one; rows sum to one."""
    edges_old = torch.arange(old + 1, dtype=torch.float64) * new
    edges_new = torch.arange(new + 1, dtype=torch.float64) * old
    low = torch.maximum(edges_new[:-1, None], edges_old[None, :-1])
    high = torch.minimum(edges_new[1:, None], edges_old[None, 1:])
    return (high - low).clamp(min=0) / old


def _by_cell(share: Tensor, values: Tensor) -> Tensor:
    return torch.einsum("ak,klf,bl->abf", share, values, share)


def _ratio(weighted: Tensor, edges: Tensor, otherwise: Tensor) -> Tensor:
    """weighted / edges where there are edges."""
    known = (edges > 0)[..., None]
    return torch.where(known, weighted / edges.clamp(min=1e-300)[..., None], otherwise)


def _symmetric(edges: Tensor) -> Tensor:
    return ((edges + edges.T) / 2).clamp(0, 1)


def _check_probabilities(edges: Tensor) -> None:
    if len(edges) == 0:
        raise ValueError("`edges` is empty; a graphon has at least one step")
    if float(edges.min()) < 0 or float(edges.max()) > 1:
        low, high = float(edges.min()), float(edges.max())
        raise ValueError(f"`edges` spans [{low:.4g}, {high:.4g}]; probabilities lie in [0, 1]")
    if not torch.allclose(edges, edges.T, atol=1e-9):
        raise ValueError("`edges` is not symmetric; pass (edges + edges.T) / 2")
