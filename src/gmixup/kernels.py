"""The kernels of our own, written in Triton; imported on a GPU alone."""

import triton  # pyright: ignore[reportMissingImports]
import triton.language as tl  # pyright: ignore[reportMissingImports]


@triton.jit
def walk(
    x, row_start, row_end, columns, weights, diagonal, out, rows, width,
    ROWS: tl.constexpr, LANES: tl.constexpr, STRIDE: tl.constexpr, LONG: tl.constexpr,
    DIAGONAL: tl.constexpr, EXACT: tl.constexpr,
):  # fmt: skip
    """out[row] = the sum of weights · x[columns] over the row's entries, and diagonal · x.

    A few rows at a time, as long as they are short; a long one, a hub's, is walked by itself with
    many of its entries at once, for the others would have to wait for it.
    """
    first = tl.program_id(0).to(tl.int64) * ROWS
    lane = tl.program_id(1) * LANES + tl.arange(0, LANES)
    wide = lane < width
    row = first + tl.arange(0, ROWS)
    there = row < rows
    begin = tl.load(row_start + row, mask=there, other=0)
    count = tl.load(row_end + row, mask=there, other=0) - begin
    short = count <= LONG
    count = tl.where(short, count, 0)
    total = tl.zeros((ROWS, LANES), EXACT)
    place = row[:, None] * width + lane[None, :]
    if DIAGONAL:
        own = tl.load(x + place, mask=there[:, None] & wide[None, :], other=0.0).to(EXACT)
        total += own * tl.load(diagonal + row, mask=there, other=0.0).to(EXACT)[:, None]
    for step in range(0, tl.max(count, 0), STRIDE):
        for ahead in tl.static_range(STRIDE):
            entry = begin + step + ahead
            some = step + ahead < count
            column = tl.load(columns + entry, mask=some, other=0).to(tl.int64)
            weight = tl.load(weights + entry, mask=some, other=0.0).to(EXACT)
            values = tl.load(
                x + column[:, None] * width + lane[None, :],
                mask=some[:, None] & wide[None, :],
                other=0.0,
            )
            total += values.to(EXACT) * weight[:, None]
    tl.store(out + place, total, mask=(there & short)[:, None] & wide[None, :])
    if tl.min(short.to(tl.int32), 0) == 0:
        for place in range(ROWS):
            one = first + place
            if one < rows:
                start, end = tl.load(row_start + one), tl.load(row_end + one)
                if end - start > LONG:
                    _walk_one(
                        x, columns, weights, diagonal, out, one, start, end, width, lane,
                        LANES, DIAGONAL, EXACT,
                    )  # fmt: skip


@triton.jit
def _walk_one(
    x, columns, weights, diagonal, out, row, start, end, width, lane,
    LANES: tl.constexpr, DIAGONAL: tl.constexpr, EXACT: tl.constexpr,
):  # fmt: skip
    wide = lane < width
    total = tl.zeros((LANES,), EXACT)
    if DIAGONAL:
        own = tl.load(x + row * width + lane, mask=wide, other=0.0).to(EXACT)
        total += own * tl.load(diagonal + row).to(EXACT)
    for first in range(start, end, 32):
        entry = first + tl.arange(0, 32)
        some = entry < end
        column = tl.load(columns + entry, mask=some, other=0).to(tl.int64)
        weight = tl.load(weights + entry, mask=some, other=0.0).to(EXACT)
        values = tl.load(
            x + column[:, None] * width + lane[None, :],
            mask=some[:, None] & wide[None, :],
            other=0.0,
        )
        total += tl.sum(values.to(EXACT) * weight[:, None], 0)
    tl.store(out + row * width + lane, total, mask=wide)


@triton.jit
def block_moments(
    x, weight, counts, means, squares, rows, width,
    ROWS: tl.constexpr, LANES: tl.constexpr, RELU: tl.constexpr,
):  # fmt: skip
    """Of a block of rows: the summed weight, the weighted mean, and the squares around it."""
    block, run, blocks = tl.program_id(0), tl.program_id(1).to(tl.int64), tl.num_programs(0)
    row = block * ROWS + tl.arange(0, ROWS)
    lane = tl.arange(0, LANES)
    there, wide = row < rows, lane < width
    place = (run * rows + row)[:, None] * width + lane[None, :]
    values = tl.load(x + place, mask=there[:, None] & wide[None, :], other=0.0).to(tl.float32)
    if RELU:
        values = tl.maximum(values, 0.0)
    w = tl.load(weight + run * rows + row, mask=there, other=0.0).to(tl.float32)
    count = tl.sum(w, 0)
    mean = tl.sum(values * w[:, None], 0) / tl.maximum(count, 1e-30)
    apart = values - mean[None, :]
    square = tl.sum(apart * apart * w[:, None], 0)
    out = run * blocks + block
    tl.store(counts + out, count)
    tl.store(means + out * width + lane, mean, mask=wide)
    tl.store(squares + out * width + lane, square, mask=wide)


@triton.jit
def join_moments(
    counts, means, squares, count, mean, variance, inverse, blocks, width, eps,
    BLOCKS: tl.constexpr, LANES: tl.constexpr,
):  # fmt: skip
    """The moments of each run from those of its blocks (Chan, Golub and LeVeque 1979)."""
    run = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, LANES)
    wide = lane < width
    total, summed = 0.0, tl.zeros((LANES,), tl.float32)
    for first in range(0, blocks, BLOCKS):
        block = first + tl.arange(0, BLOCKS)
        some = block < blocks
        w = tl.load(counts + run * blocks + block, mask=some, other=0.0)
        place = (run * blocks + block)[:, None] * width + lane[None, :]
        part = tl.load(means + place, mask=some[:, None] & wide[None, :], other=0.0)
        total += tl.sum(w, 0)
        summed += tl.sum(part * w[:, None], 0)
    total = tl.maximum(total, 1.0)
    middle = summed / total
    spread = tl.zeros((LANES,), tl.float32)
    for first in range(0, blocks, BLOCKS):
        block = first + tl.arange(0, BLOCKS)
        some = block < blocks
        w = tl.load(counts + run * blocks + block, mask=some, other=0.0)
        place = (run * blocks + block)[:, None] * width + lane[None, :]
        mask = some[:, None] & wide[None, :]
        apart = tl.load(means + place, mask=mask, other=0.0) - middle[None, :]
        inside = tl.load(squares + place, mask=mask, other=0.0)
        spread += tl.sum(inside + apart * apart * w[:, None], 0)
    spread = spread / total
    tl.store(count + run, total)
    tl.store(mean + run * width + lane, middle, mask=wide)
    tl.store(variance + run * width + lane, spread, mask=wide)
    tl.store(inverse + run * width + lane, 1.0 / tl.sqrt(spread + eps), mask=wide)


@triton.jit
def scale_rows(
    x, scale, shift, mean, inverse, out, rows, width,
    ROWS: tl.constexpr, LANES: tl.constexpr, RELU: tl.constexpr,
):  # fmt: skip
    """out = normalised value · scale + shift, with the moments and parameters of each run."""
    block, run = tl.program_id(0), tl.program_id(1).to(tl.int64)
    row = block * ROWS + tl.arange(0, ROWS)
    lane = tl.arange(0, LANES)
    wide = lane < width
    mask = (row < rows)[:, None] & wide[None, :]
    place = (run * rows + row)[:, None] * width + lane[None, :]
    values = tl.load(x + place, mask=mask, other=0.0).to(tl.float32)
    if RELU:
        values = tl.maximum(values, 0.0)
    of_run = run * width + lane
    factor = tl.load(scale + of_run, mask=wide, other=0.0).to(tl.float32)
    factor = factor * tl.load(inverse + of_run, mask=wide, other=0.0)
    middle = tl.load(mean + of_run, mask=wide, other=0.0)
    offset = tl.load(shift + of_run, mask=wide, other=0.0).to(tl.float32) - middle * factor
    tl.store(out + place, values * factor[None, :] + offset[None, :], mask=mask)


@triton.jit
def block_gradients(
    x, gradient, mean, inverse, plain, along, rows, width,
    ROWS: tl.constexpr, LANES: tl.constexpr, RELU: tl.constexpr,
):  # fmt: skip
    """Of a block of rows: the summed gradient, and the same times the normalised value."""
    block, run, blocks = tl.program_id(0), tl.program_id(1).to(tl.int64), tl.num_programs(0)
    row = block * ROWS + tl.arange(0, ROWS)
    lane = tl.arange(0, LANES)
    wide = lane < width
    mask = (row < rows)[:, None] & wide[None, :]
    place = (run * rows + row)[:, None] * width + lane[None, :]
    values = tl.load(x + place, mask=mask, other=0.0).to(tl.float32)
    if RELU:
        values = tl.maximum(values, 0.0)
    slope = tl.load(gradient + place, mask=mask, other=0.0).to(tl.float32)
    middle = tl.load(mean + run * width + lane, mask=wide, other=0.0)
    factor = tl.load(inverse + run * width + lane, mask=wide, other=0.0)
    normal = (values - middle[None, :]) * factor[None, :]
    out = (run * blocks + block) * width + lane
    tl.store(plain + out, tl.sum(slope, 0), mask=wide)
    tl.store(along + out, tl.sum(slope * normal, 0), mask=wide)


@triton.jit
def gradient_rows(
    x, gradient, weight, count, mean, inverse, scale, plain, along, out, rows, width,
    ROWS: tl.constexpr, LANES: tl.constexpr, RELU: tl.constexpr,
):  # fmt: skip
    """scale / σ · (gradient - weight / count · (plain + normalised value · along)) of each row."""
    block, run = tl.program_id(0), tl.program_id(1).to(tl.int64)
    row = block * ROWS + tl.arange(0, ROWS)
    lane = tl.arange(0, LANES)
    wide = lane < width
    there = row < rows
    mask = there[:, None] & wide[None, :]
    place = (run * rows + row)[:, None] * width + lane[None, :]
    raw = tl.load(x + place, mask=mask, other=0.0).to(tl.float32)
    values = tl.maximum(raw, 0.0) if RELU else raw
    slope = tl.load(gradient + place, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(weight + run * rows + row, mask=there, other=0.0).to(tl.float32)
    w = w / tl.load(count + run)
    of_run = run * width + lane
    middle = tl.load(mean + of_run, mask=wide, other=0.0)
    factor = tl.load(inverse + of_run, mask=wide, other=0.0)
    normal = (values - middle[None, :]) * factor[None, :]
    first = tl.load(plain + of_run, mask=wide, other=0.0)[None, :]
    second = tl.load(along + of_run, mask=wide, other=0.0)[None, :]
    result = slope - w[:, None] * (first + normal * second)
    factor = factor * tl.load(scale + of_run, mask=wide, other=0.0).to(tl.float32)
    result = result * factor[None, :]
    if RELU:
        result = tl.where(raw > 0, result, 0.0)
    tl.store(out + place, result, mask=mask)
