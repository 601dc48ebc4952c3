"""Side by side: the networks of several runs as one, with parameters stacked run by run."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.functional import pad

from gmixup.backbones import numbered_dropouts
from gmixup.backbones._base import AbstractNetwork
from gmixup.batch import Batch

Named = dict[str, Tensor]


class SideBySide:
    """R networks of one architecture; what they are given holds the rows of all runs in turn.

    Networks may differ in the width of their input: the narrower ones get columns of zeros, which
    meet features that are always 0, so that their gradient is 0 as well.
    """

    def __init__(self, networks: Sequence[AbstractNetwork], device: str) -> None:
        self.runs = len(networks)
        self.shapes = [_shapes(network) for network in networks]
        self.module = copy.deepcopy(networks[0]).to(device)
        self.dropouts = numbered_dropouts(self.module)
        if self.runs == 1:
            self.parameters = dict(self.module.named_parameters())
            self.buffers = dict(self.module.named_buffers())
            return
        self.parameters = {
            name: _stacked([network.get_parameter(name) for network in networks], device)
            for name, _ in networks[0].named_parameters()
        }
        for parameter in self.parameters.values():
            parameter.requires_grad_()
        self.buffers = {
            name: _stacked([network.get_buffer(name) for network in networks], device)
            for name, _ in networks[0].named_buffers()
        }
        self.calls = _Calls(self.module)

    def adopt(self, parameters: Named) -> None:
        """Takes these tensors for its parameters, which hold the same values."""
        self.parameters = parameters
        if self.runs == 1:
            for name, parameter in parameters.items():
                owner, _, leaf = name.rpartition(".")
                module = self.module.get_submodule(owner)
                setattr(module, leaf, nn.Parameter(parameter))

    def train(self, mode: bool) -> None:
        """Whether normalisation and dropout are as in training."""
        self.module.train(mode)

    def begin(self, keys: Tensor) -> None:
        """A new step, with the key (R,) of each run for what it draws."""
        names = {layer: name for name, layer in self.module.named_modules()}
        for layer in self.dropouts:
            layer.begin()
            buffer = self.buffers[f"{names[layer]}.key"]
            buffer.copy_(keys.view_as(buffer))

    def encode(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """(R · B, H) embeddings of the graphs of all runs, and the networks' own losses (R,)."""
        if self.runs == 1:
            hidden, losses = self.module.encode_with_losses(batch)
            return hidden, hidden.new_zeros(1) + sum(losses.values())
        rows = {
            name: getattr(batch, name).unflatten(0, (self.runs, -1))
            for name in ("x", "node_mask", "node_weight")
            if getattr(batch, name) is not None
        }
        graphs = batch.num_graphs // self.runs
        # The matrix and the ranges are of all runs at once: see gmixup.products.
        rest = replace(batch, num_graphs=graphs, edge_weight=None, graph_mask=None, y=None)

        def one(parameters: Named, buffers: Named, rows: Named) -> tuple[Tensor, Tensor]:
            arguments = ("encode_with_losses", replace(rest, **rows))
            hidden, losses = functional_call(self.calls, (parameters, buffers), arguments)
            return hidden, hidden.new_zeros(()) + sum(losses.values())

        hidden, losses = torch.vmap(one)(*self._named(), rows)
        return hidden.flatten(0, 1), losses

    def head(self, hidden: Tensor) -> Tensor:
        """(R, B, C) logits of embeddings (R · B, H)."""
        if self.runs == 1:
            return self.module.head(hidden)[None]

        def one(parameters: Named, buffers: Named, hidden: Tensor) -> Tensor:
            return functional_call(self.calls, (parameters, buffers), ("head", hidden))

        return torch.vmap(one)(*self._named(), hidden.unflatten(0, (self.runs, -1)))

    def _named(self) -> tuple[Named, Named]:
        return tuple(
            {f"network.{name}": tensor for name, tensor in tensors.items()}
            for tensors in (self.parameters, self.buffers)
        )  # pyright: ignore[reportReturnType]

    def of_run(self, run: int, tensors: Mapping[str, Tensor]) -> Named:
        """What belongs to one run, in the shapes of its own network."""
        if self.runs == 1:
            return {name: tensor.detach().cpu().clone() for name, tensor in tensors.items()}
        return {
            name: tensor[run].detach()[_corner(self.shapes[run][name])].cpu().clone()
            for name, tensor in tensors.items()
        }

    def put(self, run: int, tensors: Mapping[str, Tensor], values: Named) -> None:
        """Writes what `of_run` gave back to its place."""
        with torch.no_grad():
            for name, value in values.items():
                target = tensors[name] if self.runs == 1 else tensors[name][run]
                target[_corner(value.shape)].copy_(value)


class _Calls(nn.Module):
    """Calls a part of a network by name, as functional_call calls a module as a whole."""

    def __init__(self, network: AbstractNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, part: str, *arguments: Any) -> Any:
        return getattr(self.network, part)(*arguments)


def _shapes(network: nn.Module) -> dict[str, torch.Size]:
    named = [*network.named_parameters(), *network.named_buffers()]
    return {name: tensor.shape for name, tensor in named}


def _stacked(tensors: Sequence[Tensor], device: str) -> Tensor:
    shape = [max(sizes) for sizes in zip(*(tensor.shape for tensor in tensors), strict=True)]
    return torch.stack([_padded(tensor.detach(), shape) for tensor in tensors]).to(device)


def _padded(tensor: Tensor, shape: Sequence[int]) -> Tensor:
    missing = [most - size for most, size in zip(shape, tensor.shape, strict=True)]
    return pad(tensor, [end for size in reversed(missing) for end in (0, size)])


def _corner(shape: Sequence[int]) -> tuple[slice, ...]:
    return tuple(slice(size) for size in shape)
