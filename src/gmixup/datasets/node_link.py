"""Node-link JSON of networkx: one graph a file, or a list of graphs in one.

The class of a graph is its graph attribute `y` (or `label`): a number or a word, or a list of label
weights. Features are the attribute `x` of nodes and `edge_attr` of edges, a number or a list of
numbers; an edge may have a `weight`.
"""

import json
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from gmixup.datasets._collated import Collated, collate


def read_node_link(files: Sequence[str | Path]) -> Collated:
    """The graphs of JSON files, in the order of the files."""
    graphs = [graph for file in files for graph in _graphs(Path(file))]
    if not graphs:
        raise ValueError(f"{', '.join(map(str, files))} holds no graph; give at least one")
    nodes = [graph["nodes"] for graph in graphs]
    edges = [_edges(place, graph) for place, graph in enumerate(graphs)]
    ends = list(chain.from_iterable(pairs for pairs, _ in edges))
    attributes = [listed for _, listed in edges]
    return collate(
        torch.tensor([len(listed) for listed in nodes]),
        torch.tensor([len(listed) for listed in attributes]),
        torch.tensor(ends, dtype=torch.long).reshape(-1, 2).T.contiguous(),
        _labels([graph.get("graph", {}) for graph in graphs]),
        x=_rows("nodes", "x", nodes),
        edge_attr=_rows("edges", "edge_attr", attributes),
        edge_weight=_rows("edges", "weight", attributes),
    )


def _graphs(file: Path) -> list[dict[str, Any]]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"{file} is not JSON ({error}); write it anew") from None
    graphs = content if isinstance(content, list) else [content]
    for graph in graphs:
        if not isinstance(graph, dict) or not isinstance(graph.get("nodes"), list):
            raise ValueError(
                f"{file} holds no graphs in node-link form; write json.dumps("
                "[networkx.node_link_data(graph) for graph in graphs])"
            )
    return graphs


def _edges(place: int, graph: dict[str, Any]) -> tuple[list[tuple[int, int]], list[dict]]:
    """The ends of each edge and its attributes, in both directions if the graph is undirected."""
    number = {_hashable(node.get("id", i)): i for i, node in enumerate(graph["nodes"])}
    listed = graph.get("edges", graph.get("links", []))
    try:
        ends = [(number[_hashable(e["source"])], number[_hashable(e["target"])]) for e in listed]
    except KeyError as error:
        raise ValueError(
            f"an edge of graph {place} names the node {error}, which is not among its nodes; "
            "add the node"
        ) from None
    if graph.get("directed", False):
        return ends, listed
    return [*ends, *((target, source) for source, target in ends)], [*listed, *listed]


def _hashable(identifier: Any) -> Any:
    return tuple(identifier) if isinstance(identifier, list) else identifier


def _rows(what: str, key: str, items: list[list[dict]]) -> Tensor | None:
    """(rows, F) float32, or (rows,) for the weights; None where none has the attribute."""
    flat = list(chain.from_iterable(items))
    values = [item[key] for item in flat if item.get(key) is not None]
    if not values:
        return None
    if len(values) < len(flat):
        raise ValueError(
            f"{len(values)} of {len(flat)} {what} have `{key}`; give it to all or to none"
        )
    rows = [value if isinstance(value, list) else [value] for value in values]
    if len({len(row) for row in rows}) > 1:
        raise ValueError(f"`{key}` has more than one length over the {what}; make them equal")
    numbers = torch.tensor(rows, dtype=torch.float32)
    return numbers[:, 0] if key == "weight" else numbers


def _labels(attributes: list[dict[str, Any]]) -> Tensor | None:
    """(G,) classes in the order of their numbers or words; (G, C) label weights."""
    values = [graph.get("y", graph.get("label")) for graph in attributes]
    known = [value for value in values if value is not None]
    if not known:
        return None
    if len(known) < len(values):
        raise ValueError(
            f"{len(known)} of {len(values)} graphs have a label `y`; give it to all or to none"
        )
    if all(isinstance(value, list) for value in known):
        return torch.tensor(known, dtype=torch.float32)
    if any(isinstance(value, float) for value in known):
        return torch.tensor(known, dtype=torch.float32)
    if len({isinstance(value, str) for value in known}) > 1:
        raise ValueError("the labels `y` are numbers and words; give one kind of them")
    classes = {value: place for place, value in enumerate(sorted(set(known)))}
    return torch.tensor([classes[value] for value in known])
