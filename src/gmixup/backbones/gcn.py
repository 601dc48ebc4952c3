"""GCN (Kipf and Welling 2017) and its deep form GCNII (Chen et al. 2020), with a mean over nodes.

The paper says GCN and cites PyG's example of GCNII in a footnote: here are both.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor, nn

from gmixup.backbones._base import AbstractBackbone, AbstractNetwork, Features, Inputs
from gmixup.backbones._layers import Dropout, GCN2Convolution, GCNConvolution, symmetric
from gmixup.batch import Batch


@dataclass(frozen=True)
class GCN(AbstractBackbone):
    """Convolutions with ReLU, the mean over nodes, and a linear layer."""

    name: ClassVar[str] = "gcn"

    depth: int = 4

    def build(
        self,
        inputs: Inputs,
        outputs: int,
        edge_inputs: Inputs | None = None,  # noqa: ARG002
    ) -> AbstractNetwork:
        """A new network; edge features are not looked at."""
        return _GCN(self, inputs, outputs)


class _GCN(AbstractNetwork):
    side_by_side = True

    def __init__(self, settings: GCN, inputs: Inputs, outputs: int) -> None:
        super().__init__()
        self.features, width = Features(inputs), settings.width
        widths = [self.features.width, *[width] * (settings.depth - 1)]
        self.convolutions = nn.ModuleList(GCNConvolution(given, width) for given in widths)
        self.dropout = Dropout(settings.dropout)
        self.takes_merged = settings.dropout == 0  # else alike nodes would be dropped alike
        self.head = nn.Linear(width, outputs)

    def encode(self, batch: Batch) -> Tensor:
        x = self.features(batch.x)
        spread = symmetric(batch, x.dtype)
        for convolution in self.convolutions:
            x = self.dropout(convolution(x, spread, relu=True))
        return batch.graph_mean(x)


@dataclass(frozen=True)
class GCN2(AbstractBackbone):
    """As GCN, each layer keeping some of the first; `alpha` and `theta` are PyG's example's."""

    name: ClassVar[str] = "gcn2"

    depth: int = 4
    alpha: float = 0.5  # the share of the first layer in each
    theta: float = 1.0  # layer l changes its input by log(1 + theta / l)

    def build(
        self,
        inputs: Inputs,
        outputs: int,
        edge_inputs: Inputs | None = None,  # noqa: ARG002
    ) -> AbstractNetwork:
        """A new network; edge features are not looked at."""
        return _GCN2(self, inputs, outputs)


class _GCN2(AbstractNetwork):
    side_by_side = True

    def __init__(self, settings: GCN2, inputs: Inputs, outputs: int) -> None:
        super().__init__()
        self.features, width = Features(inputs), settings.width
        self.first = nn.Linear(self.features.width, width)
        betas = [math.log(1 + settings.theta / layer) for layer in range(1, settings.depth + 1)]
        self.convolutions = nn.ModuleList(
            GCN2Convolution(width, settings.alpha, beta) for beta in betas
        )
        self.dropout = Dropout(settings.dropout)
        self.takes_merged = settings.dropout == 0  # else alike nodes would be dropped alike
        self.head = nn.Linear(width, outputs)

    def encode(self, batch: Batch) -> Tensor:
        x = first = self.first(self.features(batch.x)).relu()
        spread = symmetric(batch, x.dtype)
        for convolution in self.convolutions:
            x = (convolution(self.dropout(x), first, spread) + x).relu()
        return batch.graph_mean(x)
