"""Adjacency: a symmetric sparse matrix for sums over neighbours, forwards and backwards.

The gradient of A · x is A · gradient when A is symmetric, so one matrix in CSR form serves both
ways; torch's own product would turn it over, at the price of several products.
"""

import warnings
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Adjacency:
    """An (N, N) symmetric matrix; `matrix @ x` is (N, H), in the dtype of x."""

    row_start: Tensor  # (N + 1,) int32
    columns: Tensor  # (E,) int32
    weights: Tensor  # (E,)
    by_dtype: dict[torch.dtype, Tensor] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, edge_index: Tensor, nodes: int, weights: Tensor | None = None) -> "Adjacency":
        """The matrix of edges (2, E) in ascending order of their first ends, both directions."""
        row, column = edge_index
        every = torch.arange(nodes + 1, device=row.device)
        if weights is None:
            weights = torch.ones(len(row), device=row.device)
        return cls(torch.searchsorted(row, every, out_int32=True), column.int(), weights)

    def reweighted(self, weights: Tensor) -> "Adjacency":
        """The same edges with other weights (E,)."""
        return replace(self, weights=weights, by_dtype={})

    def to(self, device: torch.device | str) -> "Adjacency":
        """The same on another device."""
        row_start, columns = self.row_start.to(device), self.columns.to(device)
        return Adjacency(row_start, columns, self.weights.to(device))

    def __matmul__(self, x: Tensor) -> Tensor:
        return _Product.apply(self, x)  # pyright: ignore[reportReturnType]

    def times(self, x: Tensor) -> Tensor:
        """The product alone, without a gradient."""
        # Products of half precision are summed in float32.
        exact = x.dtype if x.dtype == torch.float64 else torch.float32
        if exact not in self.by_dtype:
            self.by_dtype[exact] = self._matrix(exact)
        return (self.by_dtype[exact] @ x.to(exact)).to(x.dtype)

    def _matrix(self, dtype: torch.dtype) -> Tensor:
        nodes = len(self.row_start) - 1
        with warnings.catch_warnings():
            # That CSR is in beta state: the tests hold its product against the sum over edges.
            warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
            return torch.sparse_csr_tensor(
                self.row_start,
                self.columns,
                self.weights.to(dtype),
                (nodes, nodes),
                check_invariants=False,
            )


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, matrix: Adjacency, x: Tensor) -> Tensor:
        ctx.matrix = matrix
        return matrix.times(x)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[None, Tensor]:
        return None, ctx.matrix.times(gradients[0].contiguous())
