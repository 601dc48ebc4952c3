"""At home in PyG: whatever its users have goes in, and what comes out goes wherever theirs goes."""

import pickle
import warnings

import pytest
import torch
import torch_geometric.transforms as T
from torch.utils.data import Subset, random_split
from torch_geometric.data import Data, InMemoryDataset
from torch_geometric.datasets import ExplainerDataset, InfectionDataset
from torch_geometric.loader import DataLoader
from torch_geometric.utils import is_undirected

from gmixup import GMixup, GraphFolder, Graphon, GraphonGenerator, GraphSet, SoftLabels
from gmixup.augmentations import DropEdge, DropNode, MaskFeatures, Soften, Subgraph
from gmixup.datasets import save_graphs
from gmixup.seeds import generator
from gmixup.sizes import SizeLaw
from gmixup.testing._graphs import FORMS, small_graphs

pytestmark = pytest.mark.filterwarnings("ignore:.*graphs have no edge")

MIXUP = GMixup(estimator="histogram", resolution=5, ratio=0.5)


@pytest.fixture(autouse=True)
def _the_same_every_time():
    torch.manual_seed(0)


class InMemory(InMemoryDataset):
    """Graphs as most of PyG's data sets hold them."""

    def __init__(self, graphs, transform=None):
        super().__init__(transform=transform)
        self.data, self.slices = self.collate(graphs)


CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "dataset": InMemory,
    "part of a dataset": lambda graphs: InMemory(graphs)[:9],
    "shuffled dataset": lambda graphs: InMemory(graphs).shuffle(),
    "transformed dataset": lambda graphs: InMemory(graphs, transform=SoftLabels(2)),
    "subset": lambda graphs: Subset(InMemory(graphs), range(9)),
    "random split": lambda graphs: random_split(InMemory(graphs), [9, 3])[0],
}


def kind(data):
    """What a loader asks to be alike: dtypes, widths, and which keys there are."""
    shapes = {"x": slice(1, None), "edge_attr": slice(1, None), "y": slice(None)}
    return {
        key: (value.dtype, tuple(value.shape[shapes.get(key, slice(0, 0))]))
        if isinstance(value := data[key], torch.Tensor)
        else type(value)
        for key in data.keys()  # noqa: SIM118
    }


def whole_batch(graphs):
    return next(iter(DataLoader(graphs, batch_size=len(graphs))))


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS.keys())
@pytest.mark.parametrize("form", FORMS)
def test_what_comes_out_is_like_what_went_in(form, container):
    graphs = small_graphs(form)
    data = container(graphs)
    augmented = MIXUP.augment(data)
    count = len(data)
    assert len(augmented) == count + round(0.5 * count)
    soft = kind(SoftLabels(2)(graphs[0]))
    assert all(kind(graph) == soft for graph in augmented)
    for real, given in zip(augmented, data, strict=False):
        assert torch.equal(real.edge_index, given.edge_index)
        assert torch.equal(real.y.argmax(1), SoftLabels(2)(given).y.argmax(1))


@pytest.mark.parametrize("form", FORMS)
def test_real_and_synthetic_graphs_share_a_loader_in_any_order(form):
    real = small_graphs(form)
    synthetic = MIXUP.fit(real).sample(5)
    hard = GMixup(estimator="histogram", resolution=5, labels="hard").fit(real).sample(5)
    for first, second in ([map(SoftLabels(2), real), synthetic], [real, hard]):
        mixture = [*first, *second]
        for graphs in (mixture, mixture[::-1]):
            batch = whole_batch(graphs)
            assert set(batch.keys()) == {*real[0].keys(), "batch", "ptr"}
            assert len(batch.y) == batch.num_graphs == 17
            for graph, back in zip(graphs, batch.to_data_list(), strict=True):
                assert kind(graph) == kind(back)
                assert torch.equal(graph.edge_index, back.edge_index)


def test_hard_labels_keep_the_form_that_classes_came_in():
    for y in (torch.tensor([1]), torch.tensor([[1]]), torch.tensor([[1.0]]), torch.tensor([1.0])):
        graphs = small_graphs("labels")
        for number, graph in enumerate(graphs):
            graph.y = y * (number % 2)
        assert torch.equal(GraphSet.of(graphs)[1].y, y)
        augmented = GMixup(estimator="histogram", resolution=5, labels="hard").augment(graphs)
        assert {(graph.y.dtype, graph.y.shape) for graph in augmented} == {(y.dtype, y.shape)}


@pytest.mark.parametrize("form", FORMS)
def test_augmented_graphs_are_a_dataset_again(form, tmp_path):
    graphs = MIXUP.augment(InMemory(small_graphs(form)))
    path = save_graphs(graphs, tmp_path / "set")
    for dataset in (InMemory(graphs), GraphFolder(path), GraphFolder(tmp_path / "set")):
        assert len(dataset) == 18
        assert dataset.num_classes == 2
        for graph, back in zip(graphs, dataset, strict=True):
            assert kind(graph) == kind(back)
            assert all(torch.equal(graph[key], back[key]) for key in ("edge_index", "y"))
        again = MIXUP.augment(dataset[:12])
        assert torch.equal(again[0].y, graphs[0].y)
        assert kind(again[-1]) == kind(graphs[0])


def test_workers_load_the_mixture_and_transform_it_anew_each_epoch(tmp_path):
    save_graphs(MIXUP.augment(small_graphs("labels of both")), tmp_path)
    dataset = GraphFolder(tmp_path, transform=T.Compose([DropNode(0.3), DropEdge(0.3)]))
    torch.manual_seed(0)
    loader = DataLoader(dataset, batch_size=5, num_workers=2, persistent_workers=True)
    epochs = [list(loader) for _ in range(2)]
    for batches in epochs:
        assert [batch.num_graphs for batch in batches] == [5, 5, 5, 3]
        for batch in batches:
            assert set(batch.keys()) == {"x", "edge_index", "edge_attr", "y", "batch", "ptr"}
            assert batch.validate()
            assert is_undirected(batch.edge_index, batch.edge_attr)
    first, second = ([batch.edge_index.tolist() for batch in batches] for batches in epochs)
    assert first != second


def test_workers_take_lists_as_they_are():
    augmented = MIXUP.augment(small_graphs("bare"))
    loader = DataLoader(augmented, batch_size=4, num_workers=2, persistent_workers=True)
    for _ in range(2):
        nodes = torch.cat([batch.ptr.diff() for batch in loader])
        assert nodes.tolist() == [graph.num_nodes for graph in augmented]


@pytest.mark.parametrize("part", [DropEdge, DropNode, Subgraph, MaskFeatures])
def test_transforms_compose_with_those_of_pyg_over_real_and_synthetic_graphs(part):
    transform = T.Compose([SoftLabels(2), T.OneHotDegree(12), part(0.4), T.LocalDegreeProfile()])
    transform = pickle.loads(pickle.dumps(transform))
    graphs = [*small_graphs("bare"), *MIXUP.fit(small_graphs("bare")).sample(6)]
    batch = whole_batch([transform(graph) for graph in graphs])
    assert batch.x.shape == (batch.num_nodes, 13 + 5)
    assert batch.y.shape == (18, 2)
    assert batch.validate()
    whole = InMemory(graphs[:12], transform=transform)
    assert {graph.x.shape[1] for graph in whole} == {18}


def test_synthetic_graphs_survive_a_pickle_without_the_rest_of_the_set():
    synthetic = MIXUP.fit(small_graphs("ogb")).sample(50)
    assert len(pickle.dumps(synthetic[0])) < 20_000
    synthetic[0].x.zero_()
    assert int(synthetic[1].x.sum()) > 0


def test_keys_that_no_synthetic_graph_has_are_refused_wherever_they_are():
    graphs = small_graphs("labels")
    for graph in graphs:
        graph.pos = torch.zeros(graph.num_nodes, 2)
    walk = T.AddRandomWalkPE(2, attr_name="walk")
    cases = [(graphs, "pos"), (InMemory(graphs), "pos"), (Subset(graphs, [0, 1, 2]), "pos")]
    cases += [(InMemory(small_graphs("labels"), transform=walk), "walk")]
    for data, key in cases:
        for refuse in (MIXUP.augment, MIXUP.fit, Soften().augment):
            with pytest.raises(ValueError, match=f"`data` carries `{key}`.*`del data.{key}`"):
                refuse(data)


# -- a graphon as a generator ----------------------------------------------------------------

RING = Graphon(torch.tensor([[0.8, 0.1], [0.1, 0.2]]))


def test_consumers_of_generators_take_a_graphon():
    torch.manual_seed(0)
    explained = ExplainerDataset(GraphonGenerator(RING, nodes=30), "house", 4, num_graphs=3)
    assert len(explained) == 3
    assert {data.num_nodes for data in explained} == {30 + 4 * 5}
    assert all(is_undirected(data.edge_index) for data in explained)
    infected = InfectionDataset(GraphonGenerator(RING, nodes=25), 2, max_path_length=3)
    assert infected[0].x.shape == (25, 2)
    assert "Graphon(2 x 2, density 0.3)" in repr(explained)


def test_each_call_draws_another_graph_from_torch_or_from_a_stream_of_its_own():
    def edges(draw, count=3):
        return [draw().edge_index.tolist() for _ in range(count)]

    common, own = (
        GraphonGenerator(RING, nodes=20, generator=stream) for stream in (None, generator(1))
    )
    torch.manual_seed(5)
    first = edges(common)
    torch.manual_seed(5)
    mine = edges(own)
    assert first == edges(common)
    assert first[0] != first[1]
    assert mine == edges(GraphonGenerator(RING, nodes=20, generator=generator(1)))


def test_a_generator_gives_what_the_graphon_knows():
    classes = GMixup(estimator="histogram", resolution=4).fit(small_graphs("labels of both"))
    mixture = classes.graphons[0].mix(classes.graphons[1], 0.3)
    draw = GraphonGenerator(mixture, isolated="join", density="matched")
    data = draw()
    assert kind(data) == kind(SoftLabels(2)(small_graphs("labels of both")[0]))
    assert data.y.tolist() == [[pytest.approx(0.3), pytest.approx(0.7)]]
    sized = GraphonGenerator(Graphon(RING.edges, sizes=SizeLaw.of(torch.tensor([[7, 3], [9, 5]]))))
    assert {sized().num_nodes for _ in range(20)} == {7, 9}
    assert GraphonGenerator(RING)().num_nodes == 2


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"nodes": -1}, "`nodes` is .*give whole numbers"),
        ({"density": "matched"}, "`density='matched'` needs the sizes of real graphs"),
        ({"positions": "random"}, "`positions` is 'random'"),
        ({"isolated": "drop it"}, "`isolated` is 'drop it'"),
    ],
)
def test_what_could_not_be_drawn_is_refused_at_once(settings, words):
    state = torch.get_rng_state()
    with pytest.raises(ValueError, match=words):
        GraphonGenerator(RING, **settings)
    assert torch.equal(state, torch.get_rng_state())


def test_graphs_that_state_no_number_of_nodes_are_given_one():
    graphs = [Data(edge_index=torch.tensor([[0, 1], [1, 0]]), y=i % 2) for i in range(6)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        augmented = MIXUP.augment(graphs)
    assert all("num_nodes" in graph for graph in augmented)
    assert whole_batch(augmented).num_nodes == 2 * 9
