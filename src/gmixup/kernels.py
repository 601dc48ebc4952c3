"""The one kernel of our own: weighted sums of rows, written in Triton; imported on a GPU alone."""

import triton  # pyright: ignore[reportMissingImports]
import triton.language as tl  # pyright: ignore[reportMissingImports]


@triton.jit
def walk(
    x, row_start, columns, weights, out, width,
    LANES: tl.constexpr, STRIDE: tl.constexpr, DOUBLE: tl.constexpr,
):  # fmt: skip
    """out[row] = the sum of weights · x[columns] from row_start[row] to row_start[row + 1]."""
    row = tl.program_id(0).to(tl.int64)
    lane = tl.program_id(1) * LANES + tl.arange(0, LANES)
    wide = lane < width
    begin, end = tl.load(row_start + row), tl.load(row_start + row + 1)
    if DOUBLE:
        total = tl.zeros((LANES,), tl.float64)
    else:
        total = tl.zeros((LANES,), tl.float32)
    for first in range(begin, end, STRIDE):
        entry = first + tl.arange(0, STRIDE)
        there = entry < end
        column = tl.load(columns + entry, mask=there, other=0).to(tl.int64)
        weight = tl.load(weights + entry, mask=there, other=0.0).to(total.dtype)
        values = tl.load(
            x + column[:, None] * width + lane[None, :],
            mask=there[:, None] & wide[None, :],
            other=0.0,
        ).to(total.dtype)
        total += tl.sum(values * weight[:, None], 0)
    tl.store(out + row * width + lane, total, mask=wide)
