"""The input rules: what every graph is brought to, and in which words bad input is refused.

Edges sorted and in both directions, each once, without self-loops; weights, direction, NaN, wrong
ranges and wrong shapes are errors unless asked to be mended.
"""

from dataclasses import replace
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from gmixup.choices import check_choice
from gmixup.conversion import Flat

Directed = Literal["raise", "symmetrise", "as-is"]
Weights = Literal["raise", "binarise"]


def tidy(flat: Flat, directed: Directed, weights: Weights) -> Flat:
    """The input rules: checked, sorted, without self-loops and duplicates, in both directions."""
    check_choice("directed", directed, Directed)
    check_choice("weights", weights, Weights)
    # From here on all is counted with numpy: on the host, and without gradients.
    tensors = {name: value for name, value in vars(flat).items() if isinstance(value, Tensor)}
    flat = replace(flat, **{name: value.detach().cpu() for name, value in tensors.items()})
    _check(flat)
    real = _real_edges(flat, weights)
    owner = torch.arange(len(flat.num_nodes)).repeat_interleave(flat.num_edges)
    start = flat.num_nodes.cumsum(0) - flat.num_nodes
    total = int(flat.num_nodes.sum())
    row, column = flat.edge_index + start[owner]
    keep = real if directed == "as-is" else real & (row != column)
    everything = bool(keep.all())
    picked = None if everything else keep.nonzero().flatten()
    if picked is not None:
        row, column = row[picked], column[picked]
    attr = flat.edge_attr if picked is None or flat.edge_attr is None else flat.edge_attr[picked]
    keys, order = _sorted_unique(row * total + column)
    attr = attr if order is None or attr is None else attr[order]
    if directed != "as-is":
        keys, attr = _both_directions(keys, attr, total, directed)
    row, column = keys // max(total, 1), keys % max(total, 1)
    graph = torch.bucketize(row, start + flat.num_nodes, right=True)
    y = None if flat.y is None else _tidy_labels(flat.y)
    return replace(
        flat,
        num_edges=torch.bincount(graph, minlength=len(flat.num_nodes)),
        edge_index=torch.stack([row - start[graph], column - start[graph]]),
        edge_attr=attr,
        weights=None,
        y=y,
        label_like=flat.y[:0] if flat.y is not None and y is not None and y.ndim == 1 else None,
    )


def _check(flat: Flat) -> None:
    if len(flat.num_nodes) == 0:
        raise ValueError("`data` holds no graph; give at least one")
    if flat.edge_index.numel():
        bound = flat.num_nodes.repeat_interleave(flat.num_edges)
        bad = ((flat.edge_index < 0) | (flat.edge_index >= bound)).any(0)
        if bad.any():
            place = int(bad.nonzero()[0])
            graph = int(torch.bucketize(torch.tensor(place), flat.num_edges.cumsum(0), right=True))
            raise ValueError(
                f"graph {graph} has the edge {tuple(flat.edge_index[:, place].tolist())} but "
                f"{int(flat.num_nodes[graph])} nodes; `edge_index` must lie in [0, num_nodes)"
            )
    for name, value, rows in (
        ("x", flat.x, int(flat.num_nodes.sum())),
        ("edge_attr", flat.edge_attr, int(flat.num_edges.sum())),
        ("edge_weight", flat.weights, int(flat.num_edges.sum())),
        ("y", flat.y, len(flat.num_nodes)),
    ):
        if value is None:
            continue
        if name == "x" and value.ndim != 2:
            raise ValueError(f"`x` has shape {tuple(value.shape)}; it must be (num_nodes, width)")
        if name == "edge_attr" and value.ndim not in (1, 2):
            raise ValueError(f"`edge_attr` has shape {tuple(value.shape)}; give (E,) or (E, width)")
        if len(value) != rows:
            raise ValueError(f"`{name}` has {len(value)} rows; {rows} are needed")
        if value.is_floating_point() and not torch.isfinite(value).all():
            raise ValueError(f"`{name}` holds NaN or infinite values; remove or fill them first")


def _real_edges(flat: Flat, weights: Weights) -> Tensor:
    """(E,) whether a listed entry is an edge: a stored weight of zero is none."""
    if flat.weights is None:
        return torch.ones(flat.edge_index.shape[1], dtype=torch.bool)
    real = flat.weights != 0
    if weights == "raise" and bool((flat.weights[real] != 1).any()):
        raise ValueError(
            "the edges carry weights other than 0 and 1; a graphon is of unweighted graphs: pass "
            '`weights="binarise"` to take every non-zero weight as an edge'
        )
    return real


def _sorted_unique(keys: Tensor) -> tuple[Tensor, Tensor | None]:
    """Keys in ascending order without repeats, and the places they came from (None: untouched)."""
    if len(keys) < 2 or bool((keys[1:] > keys[:-1]).all()):
        return keys, None
    unique, first = np.unique(keys.numpy(), return_index=True)
    return torch.from_numpy(unique), torch.from_numpy(first)


def _both_directions(
    keys: Tensor, attr: Tensor | None, total: int, directed: Directed
) -> tuple[Tensor, Tensor | None]:
    mirrored = keys % max(total, 1) * total + keys // max(total, 1)
    if np.array_equal(np.sort(mirrored.numpy()), keys.numpy()):
        return keys, attr
    if directed == "raise":
        raise ValueError(
            "the graphs are directed (an edge is listed in one direction only); pass "
            '`directed="symmetrise"` to take each as an undirected edge'
        )
    # The given edges come first, so that their own features win over the mirrored ones.
    keys, order = _sorted_unique(torch.cat([keys, mirrored]))
    if attr is not None:
        attr = torch.cat([attr, attr])
        attr = attr if order is None else attr[order]
    return keys, attr


def _tidy_labels(y: Tensor) -> Tensor:
    """(G, 1) as (G,), and whole numbers as int64 classes."""
    y = y.reshape(len(y), -1) if y.ndim > 1 else y
    y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
    if y.ndim == 1 and y.is_floating_point() and bool((y == y.round()).all()):
        y = y.long()
    if y.ndim == 1 and not y.is_floating_point() and len(y) and int(y.min()) < 0:
        raise ValueError(f"`y` holds the class {int(y.min())}; classes are numbered 0, 1, ...")
    return y
