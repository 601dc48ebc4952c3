"""GIN: sums over neighbours, each followed by a perceptron (Xu et al. 2019)."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor, nn

from gmixup.backbones._base import AbstractBackbone, AbstractNetwork, Features, Inputs
from gmixup.backbones._layers import Dropout, GINConvolution, MaskedBatchNorm
from gmixup.batch import Batch


@dataclass(frozen=True)
class GIN(AbstractBackbone):
    """Layers of ReLU then batch normalisation, the mean over nodes, and two linear layers."""

    name: ClassVar[str] = "gin"

    depth: int = 5

    def build(
        self,
        inputs: Inputs,
        outputs: int,
        edge_inputs: Inputs | None = None,  # noqa: ARG002
    ) -> AbstractNetwork:
        """A new network; edge features are not looked at."""
        return _GIN(self, inputs, outputs)


class _GIN(AbstractNetwork):
    side_by_side = takes_merged = True

    def __init__(self, settings: GIN, inputs: Inputs, outputs: int) -> None:
        super().__init__()
        self.features, width = Features(inputs), settings.width
        widths = [self.features.width, *[width] * (settings.depth - 1)]
        self.convolutions = nn.ModuleList(GINConvolution(given, width) for given in widths)
        self.norms = nn.ModuleList(MaskedBatchNorm(width) for _ in widths)
        self.head = nn.Sequential(
            nn.Linear(width, width), nn.ReLU(), Dropout(settings.dropout), nn.Linear(width, outputs)
        )

    def encode(self, batch: Batch) -> Tensor:
        x = self.features(batch.x)
        for convolution, norm in zip(self.convolutions, self.norms, strict=True):
            x = norm(convolution(x, batch), batch.row_weight, relu=True)
        return batch.graph_mean(x)
