"""Augmentations of a batch can be part of a CUDA graph: no step of theirs waits for the host."""

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from gmixup.augmentations import DropEdge, DropNode, ManifoldMixup, MaskFeatures, Subgraph
from gmixup.augmentations._base import _Alone
from gmixup.mixing import Beta
from gmixup.seeds import generator

# What reads a value on the host, or has a shape that depends on values.
WAITING = {
    "_local_scalar_dense", "item", "is_nonzero", "equal", "allclose", "nonzero", "nonzero_numpy",
    "masked_select", "argwhere", "unique_dim", "unique_consecutive", "_unique", "_unique2",
    "bincount", "histc", "randperm", "repeat_interleave", "_assert_async",
}  # fmt: skip
# What brings values from the host: a copy from memory that is not pinned ends a capture.
BRINGING = {"lift_fresh", "lift_fresh_copy", "_to_copy"}
LAWS = [0.3, (0.1, 0.2), Beta(4.0, 4.0)]


class Listening(TorchDispatchMode):
    """Notes the operations that a CUDA graph cannot hold."""

    def __init__(self):
        super().__init__()
        self.found = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function._schema.name.removeprefix("aten::")
        masks = name.startswith("index") and any(
            part is not None and part.dtype == torch.bool
            for argument in args
            if isinstance(argument, list | tuple)
            for part in argument
        )
        moves = name != "_to_copy" or (kwargs or {}).get("device") is not None
        if masks or name in WAITING or (name in BRINGING and moves):
            self.found.append(name)
        return function(*args, **(kwargs or {}))


def batch(device="cpu"):
    """A path of three nodes, an edge and a node alone, and a graph of two nodes that is empty."""
    edge_index = torch.tensor([[0, 1, 1, 2, 3, 4], [1, 0, 2, 1, 4, 3]], device=device)
    owner = torch.tensor([0, 0, 0, 1, 1, 1, 2, 2], device=device)
    return _Alone(edge_index, owner, 3)


def hidden(device="cpu"):
    return torch.rand(4, 5, device=device), torch.eye(4, device=device)


@pytest.mark.parametrize("part", [DropEdge(), DropNode(), MaskFeatures()], ids=repr)
def test_masks_are_drawn_without_waiting(part):
    graphs, stream = batch(), generator(0)
    with Listening() as heard:
        part.on_batch(graphs, stream)
    assert heard.found == []


@pytest.mark.parametrize("lam", LAWS, ids=repr)
def test_hidden_rows_are_mixed_without_waiting(lam):
    (rows, y), stream = hidden(), generator(0)
    with Listening() as heard:
        ManifoldMixup(lam=lam).on_hidden(rows, y, stream)
    assert heard.found == []


def test_what_does_wait_is_heard():
    with Listening() as heard:
        Subgraph().on_batch(batch(), generator(0))
    assert "equal" in heard.found
    values = torch.tensor([1.0, 2.0])
    with Listening() as heard:
        values[values > 1]
        torch.tensor([1.0])
        values.sum().item()
    assert {"index", "lift_fresh", "_local_scalar_dense"} <= set(heard.found)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="a CUDA graph needs a CUDA device")
@pytest.mark.parametrize(
    "part",
    [DropEdge(), DropNode(0.5), MaskFeatures(0.5), *(ManifoldMixup(lam=lam) for lam in LAWS)],
    ids=repr,
)
def test_a_captured_draw_is_another_one_each_time(part):
    stream = generator(0, device="cuda")
    graphs, (rows, y) = batch("cuda"), hidden("cuda")

    def draw():
        masks = part.on_batch(graphs, stream)
        given = [] if masks is None else list(vars(masks).values())
        return [*(m for m in given if m is not None), *part.on_hidden(rows, y, stream)]

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        draw()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    graph.register_generator_state(stream)
    with torch.cuda.graph(graph):
        held = draw()
    seen = set()
    for _ in range(50):
        graph.replay()
        seen.add(tuple(value for tensor in held for value in tensor.flatten().tolist()))
    assert len(seen) > 5
