"""Adjacency: a sparse matrix for sums over neighbours, forwards and backwards.

The gradient of A · x is Aᵀ · gradient. Graphs are undirected, so A and Aᵀ have the same entries in
the same places: one list of rows and columns serves both ways, with a second list of weights where
they differ. torch's own product would turn the matrix over, at the price of several products.
"""

import warnings
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from gmixup.products import csr_product


@dataclass(frozen=True, eq=False)
class Adjacency:
    """An (N, N) matrix with entries in symmetric places; `matrix @ x` is (N, H), as x's dtype."""

    row_start: Tensor  # (N,) int32 the first entry of each row
    row_end: Tensor  # (N,) int32 the entry after its last
    columns: Tensor  # (E,) int32
    weights: Tensor  # (E,)
    turned: Tensor | None = None  # (E,) the weights of the transposed matrix; None: the same
    diagonal: Tensor | None = None  # (N,) what is added to it; None: nothing
    padded: bool = False  # rows do not follow each other: there are entries that no row has
    made: dict[Any, Any] = field(default_factory=dict, repr=False)  # what was asked for before

    @classmethod
    def of(
        cls,
        edge_index: Tensor,
        nodes: int,
        weights: Tensor | None = None,
        turned: Tensor | None = None,
    ) -> "Adjacency":
        """The matrix of edges (2, E) in ascending order of their first ends, both directions."""
        row, column = edge_index
        every = torch.arange(nodes + 1, device=row.device)
        if weights is None:
            weights = torch.ones(len(row), device=row.device)
        cuts = torch.searchsorted(row, every, out_int32=True)
        return cls(cuts[:-1], cuts[1:], column.int(), weights, turned)

    def reweighted(self, weights: Tensor) -> "Adjacency":
        """The same edges with other weights (E,), the same both ways."""
        return replace(self, weights=weights, turned=None, made={})

    def to(self, device: torch.device | str) -> "Adjacency":
        """The same on another device."""
        values = {name: part for name, part in vars(self).items() if isinstance(part, Tensor)}
        moved = {name: part.to(device) for name, part in values.items()}
        return replace(self, **moved, made={})

    def plus_identity(self) -> "Adjacency":
        """A + I."""
        if "identity" not in self.made:
            ones = torch.ones(len(self.row_start), device=self.weights.device)
            self.made["identity"] = replace(self, diagonal=ones, made={})
        return self.made["identity"]

    def normalised(self, dtype: torch.dtype) -> "Adjacency":
        """D^-1/2 (A + I) D^-1/2 with the degrees D of A + I."""
        exact = torch.float64 if dtype == torch.float64 else torch.float32
        if ("normalised", exact) not in self.made:
            ones = torch.ones(len(self.row_start), 1, dtype=exact, device=self.weights.device)
            scale = (1 + (self @ ones)[:, 0]).rsqrt()
            entry = torch.arange(len(self.columns), device=scale.device, dtype=torch.int32)
            # Entries of no row are never read, whichever row they are taken for.
            row = torch.searchsorted(self.row_end, entry, right=True).clamp(max=len(scale) - 1)
            both = scale[row] * scale[self.columns.long()]
            turned = None if self.turned is None else self.turned.to(exact) * both
            self.made["normalised", exact] = replace(
                self, weights=self.weights.to(exact) * both, turned=turned,
                diagonal=scale.square(), made={},
            )  # fmt: skip
        return self.made["normalised", exact]

    def __matmul__(self, x: Tensor) -> Tensor:
        if self.padded or x.is_cuda:
            turned = self.weights if self.turned is None else self.turned
            rows = (self.row_start, self.row_end)
            return csr_product(*rows, self.columns, self.weights, turned, self.diagonal, x)
        return _Product.apply(self, x)  # pyright: ignore[reportReturnType]

    def times(self, x: Tensor, backwards: bool = False) -> Tensor:
        """The product alone, or that of the transposed matrix, without a gradient."""
        # Products of half precision are summed in float32.
        exact = x.dtype if x.dtype == torch.float64 else torch.float32
        backwards = backwards and self.turned is not None
        if (exact, backwards) not in self.made:
            weights = self.turned if backwards else self.weights
            assert weights is not None
            self.made[exact, backwards] = self._matrix(weights.to(exact))
        x = x.to(exact)
        with torch.autocast("cpu", enabled=False):  # which would halve it again
            out = self.made[exact, backwards] @ x
        return out if self.diagonal is None else out + self.diagonal.to(exact)[:, None] * x

    def _matrix(self, weights: Tensor) -> Tensor:
        nodes = len(self.row_start)
        cuts = torch.nn.functional.pad(self.row_end, (1, 0))
        with warnings.catch_warnings():
            # That CSR is in beta state: the tests hold its product against the sum over edges.
            warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
            return torch.sparse_csr_tensor(
                cuts, self.columns, weights, (nodes, nodes), check_invariants=False
            )


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, matrix: Adjacency, x: Tensor) -> Tensor:
        ctx.matrix = matrix
        return matrix.times(x).to(x.dtype)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[None, Tensor]:
        gradient = gradients[0].contiguous()
        return None, ctx.matrix.times(gradient, backwards=True).to(gradient.dtype)
