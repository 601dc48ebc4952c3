"""Layers over one operation, the sum over neighbours, so that masks and padding change nothing.

They are PyG's GCNConv, GCN2Conv, GINConv, GraphConv and SAGEConv, weight for weight. Theirs read
edges for themselves: here whatever can sum over neighbours (a list of edges, a sparse matrix, a
dense one between clusters) serves all layers, and the degrees are counted once a batch.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch_geometric.nn.inits import glorot

from gmixup.batch import Batch
from gmixup.hashing import hashed_uniforms
from gmixup.linear import linear
from gmixup.normalisation import normalise, remember

# (N, H) -> (N, H), a linear map over nodes: A · x in one or another normalisation.
Spread = Callable[[Tensor], Tensor]


def symmetric(batch: Batch, dtype: torch.dtype) -> Spread:
    """D^-1/2 (A + I) D^-1/2 · x, as GCN spreads (Kipf and Welling 2017)."""
    if batch.adjacency is not None:
        return batch.adjacency.normalised(dtype).__matmul__
    scale = (1 + batch.degrees(dtype)).rsqrt()[:, None]

    def spread(x: Tensor) -> Tensor:
        x = scale * x
        return scale * (batch.neighbour_sum(x) + x)

    return spread


class GraphConvolution(nn.Module):
    """Wₙ · spread(x) + Wₛ · x + b: GraphConv where spread is a sum, SAGEConv where it is a mean."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.neighbours = nn.Linear(inputs, outputs)
        self.own = nn.Linear(inputs, outputs, bias=False)

    def forward(self, x: Tensor, spread: Spread) -> Tensor:
        """(..., N, outputs)."""
        return spread_linear(self.neighbours, x, spread) + self.own(x)


class GCNConvolution(nn.Module):
    """W · spread(x) + b."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        glorot(self.linear.weight)
        nn.init.zeros_(self.linear.bias)

    def forward(self, x: Tensor, spread: Spread, relu: bool = False) -> Tensor:
        """(N, outputs)."""
        return spread_linear(self.linear, x, spread, relu)


class GCN2Convolution(nn.Module):
    """GCNII* (Chen et al. 2020): GCN that keeps some of the first layer x₀ and of the identity.

    (1 - α) P x (I + β(W₁ - I)) + α x₀ (I + β(W₂ - I)), where β = log(1 + θ / layer).
    """

    def __init__(self, width: int, alpha: float, beta: float) -> None:
        super().__init__()
        self.alpha, self.beta = alpha, beta
        self.spread_weight = nn.Parameter(torch.empty(width, width))
        self.first_weight = nn.Parameter(torch.empty(width, width))
        glorot(self.spread_weight)
        glorot(self.first_weight)

    def forward(self, x: Tensor, first: Tensor, spread: Spread) -> Tensor:
        """(N, width)."""
        x, first = (1 - self.alpha) * spread(x), self.alpha * first
        kept = (1 - self.beta) * (x + first)
        return kept + self.beta * (x @ self.spread_weight + first @ self.first_weight)


class GINConvolution(nn.Module):
    """MLP((1 + ε) x + Σ x over neighbours) with ε = 0 and an MLP of two layers (Xu et al. 2019)."""

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.first = nn.Linear(inputs, width)
        self.second = nn.Linear(width, width)

    def forward(self, x: Tensor, batch: Batch) -> Tensor:
        """(N, width)."""
        hidden = spread_linear(self.first, x, batch.own_and_neighbours, relu=True)
        return linear(self.second, hidden)


def spread_linear(layer: nn.Linear, x: Tensor, spread: Spread, relu: bool = False) -> Tensor:
    """layer(spread(x)), spreading before or after the product, whichever is narrower."""
    if layer.in_features <= layer.out_features:
        return linear(layer, spread(x), relu)
    out = spread(nn.functional.linear(x, layer.weight))
    out = out if layer.bias is None else out + layer.bias
    return out.relu() if relu else out


class MaskedBatchNorm(nn.Module):
    """Batch normalisation whose mean and variance in training are over what is there alone.

    In all else torch's BatchNorm1d. A single row, which that refuses, has variance 0.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(width)
        # With a fixed momentum nothing reads it.
        self.norm.register_buffer("num_batches_tracked", None)

    def forward(self, x: Tensor, mask: Tensor | None, relu: bool = False) -> Tensor:
        """(N, H) where mask (N,) says which rows count; None: all. `relu` comes before."""
        if self.training and (mask is not None or len(x) == 1):
            # Counts of rows in half precision would be wrong from 256 on.
            exact = torch.float64 if x.dtype == torch.float64 else torch.float32
            weight = torch.ones_like(x[:, 0], dtype=exact) if mask is None else mask.to(exact)
            norm = self.norm
            out, count, mean, variance, _ = normalise(
                x[None], weight[None], norm.weight[None], norm.bias[None], norm.eps, relu
            )
            assert norm.running_mean is not None
            assert norm.running_var is not None
            assert norm.momentum is not None
            running = (norm.running_mean[None], norm.running_var[None])
            remember(*running, mean.detach(), variance.detach(), count, norm.momentum)
            return out.squeeze(0)
        x = x.relu() if relu else x
        return self.norm(x) if self.training else self._by_memory(x)

    def _by_memory(self, x: Tensor) -> Tensor:
        norm = self.norm
        assert norm.running_mean is not None
        assert norm.running_var is not None
        factor = (norm.running_var + norm.eps).rsqrt() * norm.weight
        return torch.addcmul(norm.bias - norm.running_mean * factor, x, factor).to(x.dtype)


class Dropout(nn.Module):
    """Dropout whose numbers are a hash of a key, the call and the place, as Philox has it.

    A loop sets the key before each step, and then a run draws the same alone and beside others,
    padded and not, on any device. Without a key it draws from torch's generator.
    """

    key: Tensor

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share
        self.register_buffer("key", torch.zeros((), dtype=torch.long), persistent=False)
        self.number: int | None = None
        self.calls = 0

    def begin(self, key: int | Tensor | None = None) -> None:
        """A new step: calls are counted anew; a key of None leaves the buffer as it is."""
        self.calls = 0
        if key is not None:
            self.key.fill_(key)

    def forward(self, x: Tensor) -> Tensor:
        """The same shape, a `share` of it zero in training and the rest larger by as much."""
        if not self.training or self.share == 0:
            return x
        if self.number is None:
            chance = torch.rand(x.shape, device=x.device)
        else:
            place = torch.arange(x.numel(), device=x.device).view(x.shape)
            call = self.number << 52 | self.calls << 44
            chance, self.calls = hashed_uniforms(place + call, self.key), self.calls + 1
        return x * (chance >= self.share) / (1 - self.share)


def numbered_dropouts(network: nn.Module) -> list[Dropout]:
    """The layers of a network that draw, which from now on draw by their keys."""
    layers = [layer for layer in network.modules() if isinstance(layer, Dropout) and layer.share]
    for number, layer in enumerate(layers):
        layer.number = number
    return layers
