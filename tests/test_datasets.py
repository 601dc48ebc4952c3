"""Data sets: every form that is read and written, where sets are looked for, what is refused."""

import gzip
import json
import re
import zipfile
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given
from torch_geometric.data import Data, InMemoryDataset
from torch_geometric.datasets import TUDataset
from torch_geometric.loader import DataLoader

from gmixup import GraphSet, datasets
from gmixup.datasets import _packed, fingerprint, load, ogb, save_graphs, save_tu, tu
from gmixup.datasets._collated import collated, graph_set
from tests.real_data import real, real_folder
from tests.strategies import adjacencies, as_data, featured

NAMES = (*tu.NAMES, *ogb.NAMES)


@pytest.fixture(autouse=True)
def own_places(tmp_path, monkeypatch):
    """No test writes into the real cache or reads from the working directory."""
    monkeypatch.setenv("GMIXUP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(tu, "URL", (tmp_path / "nowhere").as_uri() + "/{name}.zip")
    monkeypatch.setattr(ogb, "URL", (tmp_path / "nowhere").as_uri() + "/{short}.zip")


def labelled(matrices):
    """Graphs of these matrices whose classes are 0, 1, 0, 1, ..."""
    graphs = GraphSet.of([*matrices, np.ones((2, 2)) - np.eye(2)])
    return replace(graphs, y=torch.arange(len(graphs)) % 2)


def write(folder, name, **files):
    """TU text: `files` by their kind."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind, text in files.items():
        (folder / f"{name}_{kind}.txt").write_text(text, encoding="ascii")
    return folder


SMALL = {
    "A": "1, 2\n2, 1\n4, 5\n5, 4\n1, 2\n2, 1\n3, 3\n",
    "graph_indicator": "1\n1\n1\n2\n2\n",
    "graph_labels": "1\n-1\n",
}


# -- the eleven sets ---------------------------------------------------------------------------

# Graphs, graphs of each class (or how many classes), mean nodes and edges as printed in the paper.
PUBLISHED = {
    "IMDB-BINARY": (1000, (500, 500), 19.773, 96.531),
    "IMDB-MULTI": (1500, (500, 500, 500), 13.001, 65.935),
    "REDDIT-BINARY": (2000, (1000, 1000), 429.627, 497.754),
    "REDDIT-MULTI-5K": (4999, 5, 508.516, 594.875),
    "REDDIT-MULTI-12K": (11929, 11, 391.409, 456.890),
    "DD": (1178, (691, 487), 284.317, 715.659),
    "PROTEINS": (1113, (663, 450), 39.058, 72.816),
    "MUTAG": (188, (63, 125), 17.931, 19.793),
    "ogbg-molhiv": (41127, 2, 25.51, 27.47),
    "ogbg-molbbbp": (2039, 2, 24.06, 25.95),
    "ogbg-molbace": (1513, 2, 34.09, 36.86),
}
ISOLATED = {
    "REDDIT-BINARY": 21,
    "REDDIT-MULTI-5K": 45,
    "REDDIT-MULTI-12K": 89,
    "PROTEINS": 5,
    "MUTAG": 0,
}


@pytest.mark.parametrize("name", NAMES)
def test_statistics_are_the_published_ones(name):
    graphs = real(name)
    count, classes, nodes, edges = PUBLISHED[name]
    found = datasets.statistics(graphs)
    assert found.graphs == count
    assert classes in (found.per_class, found.classes)
    digits = 2 if name in ogb.NAMES else 3
    assert (round(found.mean_nodes, digits), round(found.mean_edges, digits)) == (nodes, edges)
    widths = {"DD": (89, 0), "PROTEINS": (3, 0), "MUTAG": (7, 4)}
    width = (9, 3) if name in ogb.NAMES else widths.get(name, (0, 0))
    assert (found.node_features, found.edge_features) == width
    if name in ISOLATED:
        alone = graphs.owner()[graphs.degrees() == 0].unique()
        assert len(alone) == ISOLATED[name]


@pytest.mark.parametrize("name", ["MUTAG", "PROTEINS", "IMDB-BINARY"])
def test_tu_sets_are_what_pyg_reads(name, tmp_path):
    folder = real_folder(name)
    (tmp_path / name).mkdir()
    (tmp_path / name / "raw").symlink_to((folder / "raw").resolve(), target_is_directory=True)
    theirs = GraphSet.of(TUDataset(str(tmp_path), name))
    ours = graph_set(tu.read_tu(folder))
    assert fingerprint(ours) == fingerprint(theirs)
    assert ours.explicit_num_nodes == theirs.explicit_num_nodes
    assert ours[0].keys() == theirs[0].keys()


def test_ogb_sets_are_what_the_ogb_package_reads():
    folder = real_folder("ogbg-molbace")
    read_graph_raw = pytest.importorskip("ogb.io.read_graph_raw", reason="pip install ogb")
    raw = read_graph_raw.read_csv_graph_raw(str(folder / "raw"), add_inverse_edge=True)
    theirs = GraphSet.of(
        [
            Data(
                x=torch.from_numpy(graph["node_feat"]),
                edge_index=torch.from_numpy(graph["edge_index"]),
                edge_attr=torch.from_numpy(graph["edge_feat"]),
                num_nodes=graph["num_nodes"],
            )
            for graph in raw
        ]
    )
    ours = graph_set(ogb.read_ogb(folder))
    assert fingerprint(replace(ours, y=None)) == fingerprint(theirs)
    assert ours.x.dtype == ours.edge_attr.dtype == ours.y.dtype == torch.int64
    labels = gzip.decompress((folder / "raw" / "graph-label.csv.gz").read_bytes()).split()
    assert ours.y.tolist() == [int(label) for label in labels]


# -- TU text -----------------------------------------------------------------------------------


def test_tu_text_is_read_by_the_input_rules(tmp_path):
    graphs = load(write(tmp_path, "small", **SMALL))
    assert graphs.num_nodes.tolist() == [3, 2]  # an isolated node, and its self-loop dropped
    assert graphs.num_edges.tolist() == [2, 2]  # listed twice
    assert graphs.y.tolist() == [1, 0]
    assert "num_nodes" in graphs[0]


def test_tu_text_in_any_order_of_lines(tmp_path):
    folder = write(
        tmp_path / "set" / "raw",
        "set",
        A="4, 5\n1, 2\n5, 4\n2, 1\n2, 3\n3, 2\n",
        graph_indicator="1\n1\n1\n2\n2\n",
        graph_labels="7\n7\n",
        node_labels="5\n3\n5\n4\n3\n",
        edge_labels="2\n1\n2\n1\n0\n0\n",
        node_attributes="0.5, 1\n1.5, 1\n2.5, 1\n3.5, 1\n4.5, 1e-3\n",
    )
    theirs = GraphSet.of(TUDataset(str(tmp_path), "set"))
    assert fingerprint(graph_set(tu.read_tu(folder.parent))) == fingerprint(theirs)
    complete = load(folder.parent)
    assert torch.equal(complete.x[:, 2:], theirs.x)
    assert complete.x[:, 0].tolist() == [0.5, 1.5, 2.5, 3.5, 4.5]
    assert load("set", tmp_path).x.shape == (5, 3)


@given(adjacencies(most_graphs=4))
def test_graphs_come_back_from_tu_text_and_from_the_saved_form(tmp_path_factory, matrices):
    folder = tmp_path_factory.mktemp("graphs")
    graphs = labelled(matrices)
    assert fingerprint(load(save_tu(graphs, folder / "text"))) == fingerprint(graphs)
    assert fingerprint(load(save_graphs(graphs, folder))) == fingerprint(graphs)


def soft(graphs):
    weights = torch.rand(len(graphs), 3, generator=torch.Generator().manual_seed(0))
    return replace(graphs, y=weights / weights.sum(1, keepdim=True))


@pytest.mark.parametrize(
    "change",
    [
        lambda g: replace(g, edge_attr=None),
        lambda g: replace(g, edge_attr=torch.randn(g.edge_count, 2)),
        lambda g: replace(soft(g), x=torch.randn(g.node_count, 3), edge_attr=None),
        lambda g: replace(g, x=torch.cat([torch.randn(g.node_count, 2), g.x], 1), edge_attr=None),
    ],
    ids=["one-hot x", "numbers on edges", "soft labels", "numbers before one-hot"],
)
def test_features_and_labels_come_back_from_tu_text(tmp_path, change):
    graphs = change(GraphSet.of(featured()))
    assert fingerprint(load(save_tu(graphs, tmp_path / "set"))) == fingerprint(graphs)


def test_saved_tu_text_is_read_by_pyg(tmp_path):
    graphs = soft(GraphSet.of(featured()))
    save_tu(graphs, tmp_path / "mixed")
    theirs = GraphSet.of(TUDataset(str(tmp_path), "mixed"))
    assert torch.equal(theirs.edge_index, graphs.edge_index)
    assert torch.equal(theirs.x, graphs.x)
    assert torch.equal(theirs.y, graphs.labels().unique(return_inverse=True)[1])
    # Integer columns are categories: one-hot each, as the format has it.
    widths = [len(column.unique()) for column in graphs.edge_attr.T]
    assert theirs.edge_attr.shape[1] == sum(widths)
    assert bool((theirs.edge_attr.sum(1) == len(widths)).all())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"A": "1, 2\n2, x\n"}, "small_A.txt holds something other than whole numbers"),
        ({"A": "1, 2\n2\n"}, "small_A.txt holds 3 numbers in lines of 2"),
        ({"A": "1, 9\n9, 1\n"}, "speaks of nodes 1 to 9 but there are 5, numbered from 1"),
        ({"A": "1, 2\n2, 1\n1, 4\n4, 1\n"}, "line 3 of "),
        (
            {"A": "1, 2\n"},
            "the graphs are directed (an edge is listed in one direction only); pass",
        ),
        ({"graph_indicator": "1\n2\n1\n2\n2\n"}, "is not in ascending order from 1; list the"),
        ({"graph_labels": "1, 0\n0, 1\n"}, "has 2 labels a graph; a graph has one class"),
        ({"node_labels": "1\n2\n"}, "have 2 lines; 5 are needed, one for each node"),
    ],
)
def test_faults_in_tu_text_are_named(tmp_path, change, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        load(write(tmp_path, "small", **(SMALL | change)))


def test_directed_text_is_symmetrised_when_asked(tmp_path):
    folder = write(tmp_path, "small", **(SMALL | {"A": "1, 2\n4, 5\n"}))
    assert load(folder, directed="symmetrise").num_edges.tolist() == [2, 2]


def test_two_sets_in_one_folder_and_half_a_set_are_refused(tmp_path):
    write(tmp_path / "two", "first", **SMALL)
    with pytest.raises(ValueError, match=r"more than one data set \(first_A.txt, second_A.txt\)"):
        load(write(tmp_path / "two", "second", **SMALL))
    with pytest.raises(ValueError, match="lacks NAME_A"):
        load(write(tmp_path / "half", "half", A=SMALL["A"]))


# -- OGB's layout ------------------------------------------------------------------------------


def write_ogb(folder, **change):
    files = {
        "edge": "0,1\n1,2\n0,1\n",
        "num-node-list": "4\n2\n",
        "num-edge-list": "2\n1\n",
        "node-feat": "5,0\n6,0\n7,1\n8,1\n5,0\n6,1\n",
        "edge-feat": "1\n2\n3\n",
        "graph-label": "1\n0\n",
    } | {kind.replace("_", "-"): text for kind, text in change.items()}
    (folder / "raw").mkdir(parents=True)
    for kind, text in files.items():
        (folder / "raw" / f"{kind}.csv.gz").write_bytes(gzip.compress(text.encode()))
    return folder


def test_ogb_edges_get_their_other_direction(tmp_path):
    graphs = load(write_ogb(tmp_path))
    assert graphs.num_nodes.tolist() == [4, 2]
    assert graphs.edge_index.tolist() == [[0, 1, 1, 2, 0, 1], [1, 0, 2, 1, 1, 0]]
    assert graphs.edge_attr.flatten().tolist() == [1, 1, 2, 2, 3, 3]
    assert graphs.x.tolist() == [[5, 0], [6, 0], [7, 1], [8, 1], [5, 0], [6, 1]]
    assert graphs.y.tolist() == [1, 0]
    assert load(write_ogb(tmp_path / "floats", edge_feat="1\n2.5\n3\n")).edge_attr.dtype


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"graph_label": "nan\n0\n"}, "lacks the labels of some graphs (NaN)"),
        ({"graph_label": '""\n0\n'}, "holds something other than numbers"),
        ({"graph_label": "\n0\n"}, "lacks the labels of some graphs (NaN)"),
        ({"graph_label": "0,1\n0,\n"}, "has 2 labels a graph; a graph has one class"),
    ],
)
def test_labels_that_ogb_lacks_are_an_error(tmp_path, change, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        load(write_ogb(tmp_path, **change))


def test_a_missing_csv_file_is_named(tmp_path):
    (write_ogb(tmp_path) / "raw" / "graph-label.csv.gz").unlink()
    with pytest.raises(ValueError, match=r"raw lacks graph-label \(.csv.gz\); add it"):
        load(tmp_path)


# -- the saved form ----------------------------------------------------------------------------


def test_the_saved_form_is_plain_tensors_and_a_pyg_dataset(tmp_path):
    graphs = soft(GraphSet.of(featured()))
    file = save_graphs(graphs, tmp_path / "mine")
    assert file == tmp_path / "mine" / "graphs.pt"
    assert [entry.name for entry in file.parent.iterdir()] == ["graphs.pt"]
    store, slices = torch.load(file, weights_only=True)
    assert set(store) == {"x", "edge_index", "edge_attr", "y"} == set(slices)
    dataset = datasets.GraphFolder(file.parent, transform=lambda data: data)
    assert isinstance(dataset, InMemoryDataset)
    for ours, theirs in zip(graphs, dataset, strict=True):
        assert set(ours.keys()) == set(theirs.keys())
        assert all(torch.equal(ours[key], theirs[key]) for key in store)
    batch = next(iter(DataLoader(dataset, batch_size=len(dataset))))
    assert torch.equal(batch.y, graphs.y)
    assert fingerprint(load(file)) == fingerprint(load(tmp_path / "mine")) == fingerprint(graphs)


def test_isolated_nodes_survive_the_saved_form(tmp_path):
    save_graphs([np.zeros((3, 3)), np.zeros((1, 1))], tmp_path / "alone.pt")
    dataset = datasets.GraphFolder(tmp_path / "alone.pt")
    assert [data.num_nodes for data in dataset] == [3, 1]


def test_what_pyg_users_save_by_hand_is_read(tmp_path):
    graphs = featured()
    data, slices = InMemoryDataset.collate(graphs)
    torch.save((data.to_dict(), slices), tmp_path / "set.pt")
    InMemoryDataset.save(graphs, str(tmp_path / "third.pt"))
    for file in ("set.pt", "third.pt"):
        assert fingerprint(load(tmp_path / file)) == fingerprint(GraphSet.of(graphs))


def test_a_pickled_list_is_refused_with_the_line_that_converts_it(tmp_path):
    graphs = featured()
    torch.save(graphs, tmp_path / "list.pt")
    with pytest.raises(ValueError, match="can run any code when it is loaded") as refusal:
        load(tmp_path / "list.pt")
    exec(re.search(r'python -c "(.*)"$', str(refusal.value))[1], {})
    assert fingerprint(load(tmp_path / "list.pt")) == fingerprint(GraphSet.of(graphs))


def test_graph_folder_says_where_it_found_nothing(tmp_path):
    with pytest.raises(ValueError, match="where no saved set of graphs is; give the"):
        datasets.GraphFolder(tmp_path)


def test_a_graph_set_of_our_own_is_read(tmp_path):
    graphs = GraphSet.of(featured())
    graphs.save(tmp_path / "set.npz")
    assert fingerprint(load(tmp_path / "set.npz")) == fingerprint(graphs)


# -- node-link JSON ----------------------------------------------------------------------------


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


# -- where sets are looked for -----------------------------------------------------------------


@pytest.mark.parametrize("place", ["TU/small", "small", "ogb/small"])
@pytest.mark.parametrize("way", ["argument", "variable", "data"])
def test_a_name_is_looked_for_in_three_places_under_the_root(tmp_path, monkeypatch, place, way):
    write(tmp_path / "data" / place / "raw", "small", **SMALL)
    monkeypatch.delenv("GMIXUP_DATA", raising=False)
    if way == "variable":
        monkeypatch.setenv("GMIXUP_DATA", str(tmp_path / "data"))
    if way == "data":
        monkeypatch.chdir(tmp_path)
    assert len(load("small", tmp_path / "data" if way == "argument" else None)) == 2


def test_ogb_names_have_underscores_on_disk(tmp_path):
    write_ogb(tmp_path / "ogb" / "ogbg_molmine")
    assert len(load("ogbg-molmine", tmp_path)) == 2


def zipped(folder, archive, top):
    archive.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(archive, "w") as out:
        for file in sorted(folder.rglob("*.*")):
            out.write(file, f"{top}/{file.relative_to(folder).as_posix()}")


def test_what_is_nowhere_is_downloaded_once(tmp_path):
    archive = tmp_path / "nowhere" / "small.zip"
    zipped(write(tmp_path / "source", "small", **SMALL), archive, "small")
    assert len(load("small", tmp_path / "root")) == 2
    assert (tmp_path / "root" / "TU" / "small" / "raw" / "small_A.txt").is_file()
    archive.unlink()
    assert len(load("small", tmp_path / "root")) == 2
    zipped(write_ogb(tmp_path / "mol"), tmp_path / "nowhere" / "mine.zip", "mine")
    assert len(load("ogbg-molmine", tmp_path / "root")) == 2
    assert [p.name for p in (tmp_path / "root" / "ogb").iterdir()] == ["ogbg_molmine"]


@pytest.mark.parametrize("content", [None, b"not a zip archive"])
def test_a_failed_download_says_where_to_put_what_and_leaves_nothing(tmp_path, content):
    if content is not None:
        (tmp_path / "nowhere").mkdir()
        (tmp_path / "nowhere" / "MUTAGG.zip").write_bytes(content)
    with pytest.raises(FileNotFoundError) as failure:
        load("MUTAGG", tmp_path / "root")
    words = str(failure.value)
    assert words.startswith(f"'MUTAGG' is not among the data sets in {tmp_path / 'root'}/ and the")
    assert "put MUTAGG_A.txt, MUTAGG_graph_indicator.txt, MUTAGG_graph_labels.txt" in words
    assert f"into {tmp_path / 'root' / 'TU' / 'MUTAGG'}/raw/" in words
    assert words.endswith("; did you mean 'MUTAG'?")
    assert not (tmp_path / "root").exists()
    with pytest.raises(FileNotFoundError, match=r"put what hiv.zip holds \(raw/, split/"):
        load("ogbg-molhiv", tmp_path / "root")


def test_a_download_cut_off_leaves_nothing(tmp_path):
    archive = tmp_path / "nowhere" / "small.zip"
    zipped(write(tmp_path / "source", "small", **SMALL), archive, "small")
    archive.write_bytes(archive.read_bytes()[:-40])
    with pytest.raises(FileNotFoundError, match="the download of"):
        load("small", tmp_path / "root")
    assert not list(tmp_path.glob("root/**/*.txt"))


def test_paths_that_lead_nowhere_say_so(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file or folder"):
        load(tmp_path / "mine.pt")
    with pytest.raises(ValueError, match="holds no graphs in a form that is known; give a saved"):
        load(tmp_path)


def test_graphs_themselves_and_a_part_of_ones_own(tmp_path):
    assert fingerprint(load(featured())) == fingerprint(GraphSet.of(featured()))
    (tmp_path / "mine.py").write_text(
        "from gmixup.datasets.synthetic import OneAndTwoHubs\n"
        "class Mine(OneAndTwoHubs):\n    graphs = 4\n"
    )
    assert len(load(f"{tmp_path / 'mine.py'}:Mine")) == 200


# -- the packed form ---------------------------------------------------------------------------


@pytest.fixture
def counted(monkeypatch):
    """How often text was read; even the smallest text is packed."""
    calls = []
    original = tu.read_tu
    monkeypatch.setattr(_packed, "WORTH_PACKING", 0)
    monkeypatch.setattr(
        "gmixup.datasets.folder.read_tu",
        lambda *given: calls.append(given) or original(*given),
    )
    return calls


def test_text_is_read_once_and_again_when_it_has_changed(tmp_path, counted):
    folder = write(tmp_path / "small" / "raw", "small", **SMALL).parent
    first = load(folder)
    assert fingerprint(load(folder)) == fingerprint(first)
    assert len(counted) == 1
    [file] = (folder / "packed").iterdir()
    assert not (tmp_path / "cache").exists()
    load(folder, directed="symmetrise")
    assert len(counted) == 2
    write(folder / "raw", "small", graph_labels="1\n1\n")
    assert load(folder).y.tolist() == [0, 0]
    assert not file.exists()
    assert len(list((folder / "packed").iterdir())) == 2


def test_a_folder_of_ones_own_is_packed_in_the_cache(tmp_path, counted):
    folder = write(tmp_path / "small", "small", **SMALL)
    before = sorted(folder.iterdir())
    load(folder)
    load(folder)
    assert len(counted) == 1
    assert sorted(folder.iterdir()) == before
    assert len(list((tmp_path / "cache").glob("small-*/*.npz"))) == 1


def test_a_packed_file_that_cannot_be_read_is_written_anew(tmp_path, counted):
    folder = write(tmp_path / "small" / "raw", "small", **SMALL).parent
    expected = fingerprint(load(folder))
    [file] = (folder / "packed").iterdir()
    for content in (b"", b"PK", file.read_bytes()[:-30]):
        file.write_bytes(content)
        assert fingerprint(load(folder)) == expected
    assert len(counted) == 4


def test_where_nothing_can_be_written_text_is_read_every_time(tmp_path, counted, monkeypatch):
    folder = write(tmp_path / "small" / "raw", "small", **SMALL).parent
    (folder / "packed").write_text("in the way")
    (tmp_path / "cache").write_text("in the way")
    assert fingerprint(load(folder)) == fingerprint(load(folder))
    assert len(counted) == 2


@pytest.mark.parametrize(
    ("platform", "variable", "expected"),
    [
        ("linux", "XDG_CACHE_HOME", "here/gmixup"),
        ("win32", "LOCALAPPDATA", "here/gmixup/Cache"),
        ("darwin", "HOME", "here/Library/Caches/gmixup"),
    ],
)
def test_each_platform_has_its_cache(monkeypatch, platform, variable, expected):
    monkeypatch.delenv("GMIXUP_CACHE")
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setenv(variable, "here")
    assert _packed.cache_folder().as_posix() == expected


# -- synthetic sets ----------------------------------------------------------------------------

PARTS = datasets.room.parts
EXAMPLES = [example for part in PARTS.values() for example in part.examples()]


def test_the_synthetic_sets_are_there_by_name():
    assert {"two-and-eight-communities", "one-and-two-hubs"} <= set(PARTS)
    assert set(PARTS) | set(NAMES) == set(datasets.names())
    with pytest.raises(AttributeError, match="has no attribute 'TwoAndNineCommunities'"):
        datasets.TwoAndNineCommunities  # noqa: B018


@pytest.mark.parametrize("example", EXAMPLES, ids=repr)
def test_synthetic_graphs_are_those_of_their_graphons(example):
    graphs, graphons = example.load(), example.graphons()
    assert len(graphs) == example.graphs
    assert fingerprint(graphs) == fingerprint(example.load())
    assert fingerprint(graphs) != fingerprint(replace(example, seed=99).load())
    assert fingerprint(GraphSet.of(graphs.to_pyg())) == fingerprint(graphs)
    counts = torch.bincount(graphs.labels())
    assert int(counts.max() - counts.min()) <= 1
    low, high = example.nodes
    assert low <= int(graphs.num_nodes.min()) <= int(graphs.num_nodes.max()) <= high
    assert (graphs.x is not None) == example.features
    densities = [graphon.edge_density for graphon in graphons]
    assert densities == pytest.approx([densities[0]] * len(graphons), rel=1e-9)
    for label, graphon in enumerate(graphons):
        assert graphon.label.argmax() == label
        marginal = graphon.marginal()
        assert float(marginal.diff().max()) < 0.03  # the largest degrees come first
        drawn = graphs.subset(graphs.labels() == label)
        pairs = (drawn.num_nodes * (drawn.num_nodes - 1)).sum()
        assert int(drawn.num_edges.sum()) / int(pairs) == pytest.approx(densities[label], rel=0.15)


def test_communities_are_nested():
    two, eight = (graphon.edges for graphon in datasets.TwoAndEightCommunities().graphons())
    assert [len(edges.unique(dim=0)) for edges in (two, eight)] == [2, 8]
    assert bool((two[eight == eight.max()] == two.max()).all())


@pytest.mark.parametrize("label", [0, 1])
def test_hubs_are_one_and_two(label):
    graphs = datasets.OneAndTwoHubs(graphs=60).load()
    for data in graphs.subset(graphs.labels() == label):
        degrees = torch.bincount(data.edge_index[0], minlength=data.num_nodes)
        assert int((degrees > 0.25 * data.num_nodes).sum()) == 1 + label


def test_roles_of_nodes_are_one_hot():
    graphs = datasets.TwoAndEightCommunities(features=True).load()
    assert graphs.x.shape == (graphs.node_count, 3)
    assert bool((graphs.x.sum(1) == 1).all())
    assert [group.kind for group in graphs.columns.groups] == ["one-hot"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"nodes": (9, 3)}, "`nodes` is (9, 3); give the smallest and the largest number"),
        ({"nodes": (20, 60)}, "`nodes` is (20, 60); it must lie within (31, 50)"),
        ({"graphs": 1}, "`graphs` is 1; give at least 2, one a class"),
    ],
)
def test_wrong_settings_are_named(settings, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        datasets.OneAndTwoHubs(**settings)


# -- fingerprint -------------------------------------------------------------------------------


def test_the_fingerprint_is_the_same_on_every_day():
    graphs = GraphSet.of([as_data(np.ones((2, 2)) - np.eye(2), y=torch.tensor([1]))])
    assert fingerprint(graphs).startswith("82e8f4121b37ee212119f499c32fde6a")


def test_the_fingerprint_sees_every_change_of_content():
    graphs = GraphSet.of(featured())
    changes = [
        graphs,
        graphs.subset([1, 0, 2, 3, 4, 5]),
        graphs.subset(range(5)),
        replace(graphs, y=1 - graphs.y),
        replace(graphs, y=graphs.soft_labels()),
        replace(graphs, x=graphs.x.double()),
        replace(graphs, x=1 - graphs.x),
        replace(graphs, x=None),
        replace(graphs, edge_attr=graphs.edge_attr.flip(1)),
        replace(graphs, x=None, num_nodes=graphs.num_nodes + torch.tensor([1, 0, 0, 0, 0, 0])),
    ]
    assert len({fingerprint(change) for change in changes}) == len(changes)


def test_the_fingerprint_does_not_see_how_tensors_lie_in_memory():
    graphs = GraphSet.of(featured())
    strided = replace(graphs, x=graphs.x.T.contiguous().T)
    assert not strided.x.is_contiguous()
    assert fingerprint(strided) == fingerprint(graphs)
    assert fingerprint(graph_set(collated(graphs))) == fingerprint(graphs)
