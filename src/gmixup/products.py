"""Products with sparse matrices: operations that can be captured in a CUDA graph.

Each row of the result is one program that walks through its own columns, so nothing is added by
several at once: no atomics, the same sums in the same order every time. Rows that are left over
have no column and cost next to nothing.

Several runs may lie side by side under `torch.vmap`. The matrix is then one over the nodes of all
runs, and only the rows that it is multiplied with are mapped: one launch serves all of them.
"""

from typing import Any

import torch
from torch import Tensor

ROWS = 8  # that one program walks through together
LONG = 24  # entries from which on a row is walked by itself


@torch.library.custom_op("gmixup::csr_product", mutates_args=())
def csr_product(
    row_start: Tensor,
    row_end: Tensor,
    columns: Tensor,
    weights: Tensor,
    turned: Tensor,  # noqa: ARG001
    diagonal: Tensor | None,
    x: Tensor,
) -> Tensor:
    """(N, H) the sum of weights · x[columns] over the entries of each row, and diagonal · x.

    The gradient is the same sum with `turned`, the weights of the transposed matrix.
    """
    return _walk(row_start, row_end, columns, weights, diagonal, x)


@csr_product.register_fake
def _(row_start, row_end, columns, weights, turned, diagonal, x) -> Tensor:  # noqa: ARG001
    return x.new_empty(row_start.shape[0], x.shape[1])


def _keep(ctx: Any, inputs: tuple[Tensor, ...], output: Tensor) -> None:  # noqa: ARG001
    ctx.save_for_backward(*inputs[:6])


def _back(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
    row_start, row_end, columns, weights, turned, diagonal = ctx.saved_tensors
    args = (row_start, row_end, columns, turned, weights, diagonal, gradient.contiguous())
    return None, None, None, None, None, None, csr_product(*args)


csr_product.register_autograd(_back, setup_context=_keep)


@torch.library.custom_op("gmixup::range_sum", mutates_args=())
def range_sum(
    start: Tensor,
    end: Tensor,
    owner: Tensor,  # noqa: ARG001
    weights: Tensor,
    x: Tensor,
) -> Tensor:
    """(B, H) the sum of weights · x over the rows start[b], ..., end[b] - 1."""
    places = torch.arange(len(x), dtype=torch.int32, device=x.device)
    return _walk(start, end, places, weights, None, x)


@range_sum.register_fake
def _(start, end, owner, weights, x) -> Tensor:  # noqa: ARG001
    return x.new_empty(start.shape[0], x.shape[1])


def _keep_ranges(ctx: Any, inputs: tuple[Tensor, ...], output: Tensor) -> None:  # noqa: ARG001
    ctx.save_for_backward(*inputs[2:4])


def _back_to_rows(ctx: Any, gradient: Tensor) -> tuple[None, None, None, None, Tensor]:
    owner, weights = ctx.saved_tensors
    rows = gradient.index_select(0, owner)
    return None, None, None, None, (rows * weights[:, None]).to(rows.dtype)


range_sum.register_autograd(_back_to_rows, setup_context=_keep_ranges)


def _side_by_side(function: Any) -> Any:
    """The rule for runs under `torch.vmap`: rows of all runs as one, for a matrix over all runs."""

    def rule(info: Any, in_dims: tuple[int | None, ...], *args: Any) -> tuple[Tensor, int]:
        *matrix, x = (
            arg if dim is None else arg.movedim(dim, 0).flatten(0, 1)
            for arg, dim in zip(args, in_dims, strict=True)
        )
        if in_dims[-1] is None:  # alike in all runs, but summed over the nodes of each
            x = x.repeat(info.batch_size, 1)
        out = function(*matrix, x)
        return out.unflatten(0, (info.batch_size, -1)), 0

    return rule


if hasattr(torch.library, "register_vmap"):  # torch 2.5; before that runs go one after another
    torch.library.register_vmap("gmixup::csr_product", _side_by_side(csr_product))
    torch.library.register_vmap("gmixup::range_sum", _side_by_side(range_sum))


def _walk(
    row_start: Tensor,
    row_end: Tensor,
    columns: Tensor,
    weights: Tensor,
    diagonal: Tensor | None,
    x: Tensor,
) -> Tensor:
    if not x.is_cuda:
        return _by_definition(row_start, row_end, columns, weights, diagonal, x)
    # Triton comes with torch where there is a GPU for it, and nowhere else.
    from gmixup.kernels import EXACT, lanes, walk

    rows, width = row_start.shape[0], x.shape[1]
    out = torch.empty(rows, width, device=x.device, dtype=x.dtype)
    if rows == 0 or width == 0:
        return out
    columns_each = lanes(min(width, 128))
    grid = (-(-rows // ROWS), -(-width // columns_each))
    walk[grid](
        x.contiguous(), row_start, row_end, columns, weights,
        x if diagonal is None else diagonal, out, rows, width,
        ROWS=ROWS, LANES=columns_each, STRIDE=2, LONG=LONG, DIAGONAL=diagonal is not None,
        EXACT=EXACT.get(x.dtype, EXACT[torch.float32]), num_warps=ROWS * columns_each // 256 or 1,
    )  # fmt: skip
    return out


def summed_blocks(parts: Tensor) -> Tensor:
    """(R, M) the sum over the blocks of (R, blocks, M) on an accelerator.

    torch's own sum splits such a tensor among programs that wait for each other.
    """
    from gmixup.kernels import join_sums

    runs, blocks, width = parts.shape
    out = parts.new_empty(runs, width)
    join_sums[(-(-width // 128), runs)](parts, out, blocks, width, LANES=128)
    return out


def _by_definition(
    row_start: Tensor,
    row_end: Tensor,
    columns: Tensor,
    weights: Tensor,
    diagonal: Tensor | None,
    x: Tensor,
) -> Tensor:
    exact = x.dtype if x.dtype == torch.float64 else torch.float32
    counts = (row_end - row_start).long()
    row = torch.arange(len(counts), device=x.device).repeat_interleave(counts)
    first = row_start.long() - (counts.cumsum(0) - counts)
    entry = torch.arange(len(row), device=x.device) + first[row]
    parts = x.to(exact)[columns[entry].long()] * weights[entry].to(exact)[:, None]
    out = parts.new_zeros(len(counts), x.shape[1]).index_add(0, row, parts)
    if diagonal is not None:
        out = out + diagonal.to(exact)[:, None] * x.to(exact)
    return out.to(x.dtype)
