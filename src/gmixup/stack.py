"""Stack: several graphons of one kind as stacked tensors, mixed pairwise all at once."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from gmixup.columns import Columns

if TYPE_CHECKING:
    from gmixup.graphon import Graphon


@dataclass(frozen=True, eq=False)
class Stack:
    """P graphons in K steps; what one of them lacks, all lack."""

    edges: Tensor  # (P, K, K)
    features: Tensor | None = None  # (P, K, F)
    edge_features: Tensor | None = None  # (P, K, K, Fe)
    label: Tensor | None = None  # (P, C)
    columns: Columns | None = None
    edge_columns: Columns | None = None

    @classmethod
    def of(cls, graphons: Sequence["Graphon"]) -> "Stack":
        """Graphons of equal resolution; they must hold features of the same meaning."""
        first = graphons[0]
        values = {}
        for name in ("edges", "features", "edge_features", "label"):
            parts = [getattr(graphon, name) for graphon in graphons]
            widths = {None if part is None else part.shape[-1] for part in parts}
            if len(widths) > 1:
                found = " and ".join(sorted(map(str, widths)))
                raise ValueError(
                    f"`{name}` has width {found} in the graphons; mix such as hold the same"
                )
            values[name] = None if parts[0] is None else torch.stack(parts)
        for name in ("columns", "edge_columns"):
            values[name] = getattr(first, name)
            if any(getattr(graphon, name) != values[name] for graphon in graphons):
                raise ValueError(
                    f"`{name}` differs between the graphons, so their features mean different "
                    "things; estimate them from parts of one GraphSet that is `pinned`"
                )
        return cls(**values)

    def mix(self, first: Tensor, second: Tensor, lam: Tensor) -> "Stack":
        """lam · graphon[first] + (1 - lam) · graphon[second], for three tensors of one length."""

        def blend(values: Tensor | None, weights: Tensor | None = None) -> Tensor | None:
            if values is None:
                return None
            weighted = values if weights is None else values * weights
            share = lam.double().view(-1, *[1] * (values.ndim - 1))
            return share * weighted[first] + (1 - share) * weighted[second]

        edges = blend(self.edges)
        assert edges is not None
        edge_features = self.edge_features
        if edge_features is not None:
            # An edge of the mixture comes from either graphon in proportion to its chance there.
            chance = edges[..., None]
            weighted = blend(edge_features, self.edges[..., None])
            plain = blend(edge_features)
            assert weighted is not None
            assert plain is not None
            edge_features = torch.where(chance > 0, weighted / chance.clamp(min=1e-300), plain)
        return replace(
            self,
            edges=edges.clamp(0, 1),
            features=blend(self.features),
            edge_features=edge_features,
            label=blend(self.label),
        )
