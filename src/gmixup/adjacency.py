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

    row_start: Tensor  # (N + 1,) int32
    columns: Tensor  # (E,) int32
    weights: Tensor  # (E,)
    turned: Tensor | None = None  # (E,) the weights of the transposed matrix; None: the same
    by_dtype: dict[Any, Tensor] = field(default_factory=dict, repr=False)

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
        return cls(torch.searchsorted(row, every, out_int32=True), column.int(), weights, turned)

    def reweighted(self, weights: Tensor) -> "Adjacency":
        """The same edges with other weights (E,), the same both ways."""
        return replace(self, weights=weights, turned=None, by_dtype={})

    def to(self, device: torch.device | str) -> "Adjacency":
        """The same on another device."""
        parts = (self.row_start, self.columns, self.weights, self.turned)
        return Adjacency(*(part if part is None else part.to(device) for part in parts))  # pyright: ignore[reportArgumentType]

    def __matmul__(self, x: Tensor) -> Tensor:
        if x.is_cuda:
            turned = self.weights if self.turned is None else self.turned
            return csr_product(self.row_start, self.columns, self.weights, turned, x)
        return _Product.apply(self, x)  # pyright: ignore[reportReturnType]

    def times(self, x: Tensor, backwards: bool = False) -> Tensor:
        """The product alone, or that of the transposed matrix, without a gradient."""
        # Products of half precision are summed in float32.
        exact = x.dtype if x.dtype == torch.float64 else torch.float32
        backwards = backwards and self.turned is not None
        if (exact, backwards) not in self.by_dtype:
            weights = self.turned if backwards else self.weights
            assert weights is not None
            self.by_dtype[exact, backwards] = self._matrix(weights.to(exact))
        return (self.by_dtype[exact, backwards] @ x.to(exact)).to(x.dtype)

    def _matrix(self, weights: Tensor) -> Tensor:
        nodes = len(self.row_start) - 1
        with warnings.catch_warnings():
            # That CSR is in beta state: the tests hold its product against the sum over edges.
            warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
            return torch.sparse_csr_tensor(
                self.row_start, self.columns, weights, (nodes, nodes), check_invariants=False
            )


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, matrix: Adjacency, x: Tensor) -> Tensor:
        ctx.matrix = matrix
        return matrix.times(x)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[None, Tensor]:
        return None, ctx.matrix.times(gradients[0].contiguous(), backwards=True)
