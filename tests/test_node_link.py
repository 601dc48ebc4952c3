"""Node-link JSON of networkx."""

import json
import re

import networkx as nx
import pytest
import torch

from gmixup import GraphSet
from gmixup.datasets import fingerprint, load


def networkx_graphs():
    first = nx.path_graph(3)
    second = nx.relabel_nodes(nx.star_graph(3), "abcd".__getitem__)
    second.add_node("e")
    for place, graph in enumerate((first, second)):
        graph.graph["y"] = ("toxic", "harmless")[place]
        for number, node in enumerate(graph):
            graph.nodes[node]["x"] = [number, 0.5]
        for u, v in graph.edges:
            graph.edges[u, v]["edge_attr"] = graph.nodes[u]["x"][0] + graph.nodes[v]["x"][0]
    return [first, second]


@pytest.mark.parametrize("edges", ["edges", "links"])
def test_node_link_json_of_networkx(tmp_path, edges):
    stored = [nx.node_link_data(graph, edges=edges) for graph in networkx_graphs()]
    (tmp_path / "all.json").write_text(json.dumps(stored))
    graphs = load(tmp_path / "all.json")
    assert graphs.y.tolist() == [1, 0]  # words in their order
    assert graphs.num_nodes.tolist() == [3, 5]
    plain = GraphSet.of([nx.to_numpy_array(graph, weight=None) for graph in networkx_graphs()])
    assert torch.equal(graphs.edge_index, plain.edge_index)
    assert graphs.x.tolist() == [[i, 0.5] for i in (0, 1, 2, 0, 1, 2, 3, 4)]
    assert torch.equal(graphs.edge_attr[:, 0], graphs.edge_index.sum(0).float())
    for place, graph in enumerate(stored):
        (tmp_path / "many").mkdir(exist_ok=True)
        (tmp_path / "many" / f"{place}.json").write_text(json.dumps(graph))
    assert fingerprint(load(tmp_path / "many")) == fingerprint(graphs)


def test_labels_in_json_are_numbers_words_or_weights(tmp_path):
    def labels(*values):
        graphs = [{"graph": {"label": value}, "nodes": [{"id": 0}]} for value in values]
        (tmp_path / "set.json").write_text(json.dumps(graphs))
        return load(tmp_path / "set.json").y

    assert labels(3, 5, 3).tolist() == [0, 1, 0]
    assert labels([0.5, 0.5], [0, 1]).tolist() == [[0.5, 0.5], [0, 1]]
    assert labels(0.5, 1).tolist() == [0.5, 1]
    with pytest.raises(ValueError, match="the labels `y` are numbers and words; give one kind"):
        labels("a", 1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is not JSON ("),
        ("[]", "holds no graph; give at least one"),
        ('{"adjacency": []}', "holds no graphs in node-link form; write json.dumps("),
        (
            '{"nodes": [{"id": 0}], "edges": [{"source": 0, "target": 7}]}',
            "an edge of graph 0 names the node 7, which is not among its nodes",
        ),
        ('{"nodes": [{"id": 0, "x": 1}, {"id": 1}]}', "1 of 2 nodes have `x`; give it to all or"),
        (
            '{"nodes": [{"id": 0, "x": 1}, {"id": 1, "x": [1, 2]}]}',
            "`x` has more than one length over the nodes; make them equal",
        ),
        (
            '[{"graph": {"y": 1}, "nodes": []}, {"nodes": []}]',
            "1 of 2 graphs have a label `y`; give it to all or to none",
        ),
        (
            '{"nodes": [{"id": 0}, {"id": 1}], "directed": true, '
            '"edges": [{"source": 0, "target": 1}]}',
            "the graphs are directed",
        ),
        (
            '{"nodes": [{"id": 0}, {"id": 1}], "edges": [{"source": 0, "target": 1, "weight": 2}]}',
            "the edges carry weights other than 0 and 1",
        ),
    ],
)
def test_faults_in_json_are_named(tmp_path, text, words):
    (tmp_path / "set.json").write_text(text)
    with pytest.raises(ValueError, match=re.escape(words)):
        load(tmp_path / "set.json")
