"""Data sets: the published ones, where they are looked for, how they are kept, fingerprints."""

import zipfile
from dataclasses import replace

import numpy as np
import pytest
import torch

from gmixup import GraphSet, datasets
from gmixup.datasets import _packed, fingerprint, load, ogb, tu
from gmixup.datasets._collated import collated, graph_set
from tests.real_data import real
from tests.strategies import as_data, featured
from tests.text_sets import SMALL, write, write_ogb

NAMES = (*tu.NAMES, *ogb.NAMES)


@pytest.fixture(autouse=True)
def own_places(tmp_path, monkeypatch):
    """No test writes into the real cache or reads from the working directory."""
    monkeypatch.setenv("GMIXUP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(tu, "URL", (tmp_path / "nowhere").as_uri() + "/{name}.zip")
    monkeypatch.setattr(ogb, "URL", (tmp_path / "nowhere").as_uri() + "/{short}.zip")


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


# -- where sets are looked for


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


@pytest.mark.parametrize("fault", ["half", "flipped"])
def test_a_broken_download_leaves_nothing(tmp_path, fault):
    archive = tmp_path / "nowhere" / "small.zip"
    zipped(write(tmp_path / "source", "small", **SMALL), archive, "small")
    content = archive.read_bytes()
    half, flipped = content[:-40], content.replace(b"1, 2", b"9, 2", 1)
    assert flipped != content  # a checksum is wrong, which shows when it is unpacked
    archive.write_bytes({"half": half, "flipped": flipped}[fault])
    with pytest.raises(FileNotFoundError, match="the download of"):
        load("small", tmp_path / "root")
    assert not (tmp_path / "root").exists()
    assert not list(tmp_path.glob(".download-*"))


def test_paths_that_lead_nowhere_say_so(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file or folder"):
        load(tmp_path / "mine.pt")
    with pytest.raises(ValueError, match="holds no graphs in a form that is known; give a saved"):
        load(tmp_path)


def test_graphs_themselves_and_a_part_of_ones_own(tmp_path):
    assert fingerprint(load(featured())) == fingerprint(GraphSet.of(featured()))
    (tmp_path / "mine.py").write_text(
        "from gmixup.datasets import load\n"
        "class Small:\n"
        "    def load(self):\n"
        "        return load('one-and-two-hubs').subset([0, 1])\n"
    )
    assert len(load(f"{tmp_path / 'mine.py'}:Small")) == 2


# -- the packed form


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


# -- fingerprint


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
