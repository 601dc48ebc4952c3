"""DropEdge, DropNode and Subgraph on a batch of 128 REDDIT-BINARY graphs: loops against masks.

    GMIXUP_DATA=ROOT python benchmarks/augmentations.py

- plain loop: graph by graph and node by node, with sets, as GraphCL describes its augmentations;
- tuned loop: graph by graph with PyG's own functions; for Subgraph, where PyG has none without
  pyg-lib, with constant time for each node taken;
- masks: what `on_batch` gives, from which the training loops go on;
- masks and cut: with what is dropped cut out, as the two loops return it.

Both loops end with the collation of their graphs into a batch. All four are timed in turn, by the
processor's clock, which others on the machine do not lengthen by waiting for it.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import platform
import random
import time

import torch
from torch_geometric.data import Batch, Data
from torch_geometric.utils import dropout_edge, dropout_node, subgraph

from gmixup import datasets
from gmixup.augmentations import DropEdge, DropNode, Subgraph

RATIO, GRAPHS, REPEATS = 0.2, 128, 7


def neighbours_of(data):
    beside = [[] for _ in range(data.num_nodes)]
    for row, column in data.edge_index.T.tolist():
        beside[row].append(column)
    return beside


def kept(data, nodes):
    number = {node: place for place, node in enumerate(sorted(nodes))}
    edges = [
        (number[row], number[column])
        for row, column in data.edge_index.T.tolist()
        if row in number and column in number
    ]
    index = torch.tensor(edges, dtype=torch.long).reshape(-1, 2).T
    return Data(edge_index=index, num_nodes=len(number), y=data.y)


def python_drop_edge(data):
    edges = [(i, j) for i, j in data.edge_index.T.tolist() if i < j and random.random() >= RATIO]
    index = torch.tensor(edges + [(j, i) for i, j in edges], dtype=torch.long).reshape(-1, 2).T
    return Data(edge_index=index, num_nodes=data.num_nodes, y=data.y)


def python_drop_node(data):
    dropped = random.sample(range(data.num_nodes), int(RATIO * data.num_nodes))
    return kept(data, set(range(data.num_nodes)) - set(dropped))


def python_subgraph(data):
    nodes, beside = data.num_nodes, neighbours_of(data)
    taken, waiting = set(), set()
    while len(taken) < nodes - int(RATIO * nodes):
        node = random.choice(list(waiting or set(range(nodes)) - taken))
        taken.add(node)
        waiting.discard(node)
        waiting.update(other for other in beside[node] if other not in taken)
    return kept(data, taken)


def swapping_subgraph(data):
    """The same with a list from which a random entry is taken in constant time."""
    nodes, beside = data.num_nodes, neighbours_of(data)
    seen, waiting, taken, rest = set(), [], set(), random.sample(range(nodes), nodes)
    while len(taken) < nodes - int(RATIO * nodes):
        if not waiting:
            start = next(node for node in iter(rest.pop, None) if node not in seen)
            waiting.append(start)
            seen.add(start)
        place = random.randrange(len(waiting))
        waiting[place], waiting[-1] = waiting[-1], waiting[place]
        node = waiting.pop()
        taken.add(node)
        fresh = [other for other in beside[node] if other not in seen]
        seen.update(fresh)
        waiting.extend(fresh)
    return kept(data, taken)


def pyg_drop_edge(data):
    index, _ = dropout_edge(data.edge_index, RATIO, force_undirected=True)
    return Data(edge_index=index, num_nodes=data.num_nodes, y=data.y)


def pyg_drop_node(data):
    _, _, keep = dropout_node(data.edge_index, RATIO, num_nodes=data.num_nodes)
    index, _ = subgraph(keep, data.edge_index, relabel_nodes=True, num_nodes=data.num_nodes)
    return Data(edge_index=index, num_nodes=int(keep.sum()), y=data.y)


def looped(function, graphs):
    return lambda: Batch.from_data_list([function(data) for data in graphs])


def masked(part, batch):
    return lambda: part.on_batch(batch)


def cut(part, batch):
    def run():
        masks = part.on_batch(batch)
        edge_index, owner = batch.edge_index[:, masks.edge_keep], batch.batch
        if masks.node_keep is not None:
            edge_index = (masks.node_keep.cumsum(0) - 1)[edge_index]
            owner = owner[masks.node_keep]
        return Batch(edge_index=edge_index, batch=owner, y=batch.y)

    return run


def milliseconds(runs):
    """The shortest processor time of each run, all taken in turn."""
    seconds = {name: [] for name in runs}
    for _ in range(REPEATS):
        for name, run in runs.items():
            begin = time.process_time()
            run()
            seconds[name].append(time.process_time() - begin)
    return {name: 1e3 * min(values) for name, values in seconds.items()}


def main():
    torch.set_num_threads(1)
    everything = datasets.load("REDDIT-BINARY")
    picked = torch.randperm(len(everything), generator=torch.Generator().manual_seed(0))[:GRAPHS]
    graphs = everything.subset(picked).to_pyg()
    batch = Batch.from_data_list(graphs)
    print(f"{platform.machine()}, one thread, torch {torch.__version__}; {GRAPHS} graphs with")
    print(f"{batch.num_nodes} nodes, {batch.num_edges // 2} edges; best of {REPEATS}, in ms\n")
    print(
        "| ratio 0.2 | plain loop | tuned loop | masks and cut | masks | plain ÷ | tuned ÷ masks |"
    )
    print("|---|---|---|---|---|---|---|")
    for part, plain, tuned in (
        (DropEdge(RATIO), python_drop_edge, pyg_drop_edge),
        (DropNode(RATIO), python_drop_node, pyg_drop_node),
        (Subgraph(RATIO), python_subgraph, swapping_subgraph),
    ):
        runs = {
            "plain": looped(plain, graphs),
            "tuned": looped(tuned, graphs),
            "cut": cut(part, batch),
            "masks": masked(part, batch),
        }
        took = milliseconds(runs)
        cells = [f"{took[name]:.2f}" for name in runs]
        cells += [f"×{took[name] / took['masks']:.0f}" for name in ("plain", "tuned")]
        print(f"| {part.name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
