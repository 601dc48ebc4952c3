"""Products with sparse matrices on an accelerator: operations that compile and can be captured.

Each row of the result is one program that walks through its own columns, so nothing is added by
several at once: no atomics, the same sums in the same order every time. Rows that are left over
have no column and cost next to nothing.
"""

from functools import cache
from typing import Any

import torch
from torch import Tensor


@torch.library.custom_op("gmixup::csr_product", mutates_args=())
def csr_product(
    row_start: Tensor, columns: Tensor, weights: Tensor, turned: Tensor, x: Tensor
) -> Tensor:
    """(N, H) the sum of weights · x[columns] over the entries of each row.

    The gradient is the same sum with `turned`, the weights of the transposed matrix.
    """
    return _walk(row_start, columns, weights, x)


@csr_product.register_fake
def _(row_start: Tensor, columns: Tensor, weights: Tensor, turned: Tensor, x: Tensor) -> Tensor:  # noqa: ARG001
    return x.new_empty(row_start.shape[0] - 1, x.shape[1])


def _keep(ctx: Any, inputs: tuple[Tensor, ...], output: Tensor) -> None:  # noqa: ARG001
    ctx.save_for_backward(*inputs[:4])


def _back(ctx: Any, gradient: Tensor) -> tuple[None, None, None, None, Tensor]:
    row_start, columns, weights, turned = ctx.saved_tensors
    product = csr_product(row_start, columns, turned, weights, gradient.contiguous())
    return None, None, None, None, product


csr_product.register_autograd(_back, setup_context=_keep)


@torch.library.custom_op("gmixup::range_sum", mutates_args=())
def range_sum(start: Tensor, owner: Tensor, weights: Tensor, x: Tensor) -> Tensor:
    """(B, H) the sum of weights · x over the rows start[b], ..., start[b + 1] - 1."""
    places = torch.arange(len(x), dtype=torch.int32, device=x.device)
    return _walk(start, places, weights, x)


@range_sum.register_fake
def _(start: Tensor, owner: Tensor, weights: Tensor, x: Tensor) -> Tensor:  # noqa: ARG001
    return x.new_empty(start.shape[0] - 1, x.shape[1])


def _keep_ranges(ctx: Any, inputs: tuple[Tensor, ...], output: Tensor) -> None:  # noqa: ARG001
    ctx.save_for_backward(*inputs[1:3])


def _back_to_rows(ctx: Any, gradient: Tensor) -> tuple[None, None, None, Tensor]:
    owner, weights = ctx.saved_tensors
    rows = gradient.index_select(0, owner)
    return None, None, None, rows * weights.to(rows.dtype)[:, None]


range_sum.register_autograd(_back_to_rows, setup_context=_keep_ranges)


def _walk(row_start: Tensor, columns: Tensor, weights: Tensor, x: Tensor) -> Tensor:
    if not x.is_cuda:
        return _by_definition(row_start, columns, weights, x)
    import triton

    rows, width = row_start.shape[0] - 1, x.shape[1]
    out = torch.empty(rows, width, device=x.device, dtype=x.dtype)
    if rows == 0 or width == 0:
        return out
    x = x.contiguous()
    # Rows are short where graphs are sparse: a wide stride would walk mostly past their end.
    stride = 4 if columns.shape[0] < 4 * rows else 16
    lanes = triton.next_power_of_2(min(width, 256))
    exact = torch.float64 if x.dtype == torch.float64 else torch.float32
    grid = (rows, triton.cdiv(width, lanes))
    _kernel()[grid](
        x, row_start, columns, weights, out, width, LANES=lanes, STRIDE=stride,
        DOUBLE=exact == torch.float64, num_warps=1,
    )  # fmt: skip
    return out


def _by_definition(row_start: Tensor, columns: Tensor, weights: Tensor, x: Tensor) -> Tensor:
    exact = x.dtype if x.dtype == torch.float64 else torch.float32
    counts = row_start.diff()
    row = torch.arange(len(counts), device=x.device).repeat_interleave(counts)
    used = columns[: len(row)].long()
    parts = x.to(exact)[used] * weights[: len(row)].to(exact)[:, None]
    return parts.new_zeros(len(counts), x.shape[1]).index_add(0, row, parts).to(x.dtype)


@cache
def _kernel() -> Any:
    # Triton comes with torch where there is a GPU for it, and nowhere else.
    from gmixup.kernels import walk

    return walk
