"""What hypothesis draws: small graphs and step functions."""

import numpy as np
import torch
from hypothesis import strategies as st
from torch_geometric.data import Data


def random_graph(rng, nodes, density):
    """A simple undirected graph as a dense 0/1 matrix."""
    upper = np.triu(rng.random((nodes, nodes)) < density, 1)
    return (upper | upper.T).astype(float)


@st.composite
def adjacencies(draw, most_graphs=5, most_nodes=9, least_nodes=0):
    """A list of dense adjacency matrices, graphs without nodes and without edges among them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    counts = draw(st.lists(st.integers(least_nodes, most_nodes), min_size=1, max_size=most_graphs))
    return [
        random_graph(rng, count, draw(st.sampled_from([0.0, 0.2, 0.6, 1.0]))) for count in counts
    ]


@st.composite
def step_functions(draw, least=1, most=6):
    """A symmetric (K, K) float64 matrix in [0, 1]."""
    steps = draw(st.integers(least, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    matrix = rng.random((steps, steps)) ** draw(st.sampled_from([0.3, 1.0, 3.0]))
    return torch.from_numpy((matrix + matrix.T) / 2)


def as_data(matrix, **extra):
    """A dense adjacency matrix as PyG `Data`."""
    edge_index = torch.from_numpy(np.stack(np.nonzero(matrix)))
    return Data(edge_index=edge_index, num_nodes=len(matrix), **extra)


def featured(seed=0, count=6):
    """Graphs with everything on them: one-hot x, integer edge_attr, classes."""
    rng = np.random.default_rng(seed)
    graphs = []
    for number in range(count):
        nodes = int(rng.integers(3, 9))
        data = as_data(random_graph(rng, nodes, 0.6), y=torch.tensor([number % 2]))
        del data.num_nodes
        data.x = torch.eye(3)[torch.from_numpy(rng.integers(0, 3, nodes))]
        upper = data.edge_index[0] < data.edge_index[1]
        low, high = data.edge_index.min(0).values, data.edge_index.max(0).values
        data.edge_attr = torch.stack([(low + high) % 4, (low * high) % 2], 1)
        assert upper.sum() * 2 == len(upper)
        graphs.append(data)
    return graphs
