"""The kernels of our own, written in Triton; imported on a GPU alone."""

from typing import Any

import torch
import triton  # pyright: ignore[reportMissingImports]
import triton.language as tl  # pyright: ignore[reportMissingImports]


def jit(kernel: Any) -> Any:
    """A kernel, compiled for the types that it is first called with."""
    return triton.jit(kernel)


# What sums are added up in, by the numbers that they are of.
EXACT: dict[torch.dtype, Any] = {torch.float32: tl.float32, torch.float64: tl.float64}


def lanes(width: int) -> int:
    """The columns that a program takes for rows of this width: a power of two."""
    return triton.next_power_of_2(width)


@jit
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
        for number in range(ROWS):
            one = first + number
            if one < rows:
                start, end = tl.load(row_start + one), tl.load(row_end + one)
                if end - start > LONG:
                    _walk_one(
                        x, columns, weights, diagonal, out, one, start, end, width, lane,
                        LANES, DIAGONAL, EXACT,
                    )  # fmt: skip


@jit
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


@jit
def block_moments(
    x, weight, counts, means, squares, rows, width,
    ROWS: tl.constexpr, LANES: tl.constexpr, RELU: tl.constexpr,
):  # fmt: skip
    """Of every so many-th rows: the summed weight, the weighted mean, the squares around it."""
    block, run, blocks = tl.program_id(0), tl.program_id(1).to(tl.int64), tl.num_programs(0)
    lane = tl.arange(0, LANES)
    wide = lane < width
    count = 0.0
    mean, square = tl.zeros((LANES,), tl.float32), tl.zeros((LANES,), tl.float32)
    for first in range(block * ROWS, rows, blocks * ROWS):
        row = first + tl.arange(0, ROWS)
        there = row < rows
        place = (run * rows + row)[:, None] * width + lane[None, :]
        values = tl.load(x + place, mask=there[:, None] & wide[None, :], other=0.0).to(tl.float32)
        if RELU:
            values = tl.maximum(values, 0.0)
        w = tl.load(weight + run * rows + row, mask=there, other=0.0).to(tl.float32)
        more = tl.sum(w, 0)
        middle = tl.sum(values * w[:, None], 0) / tl.maximum(more, 1e-30)
        apart = values - middle[None, :]
        step, total = middle - mean, tl.maximum(count + more, 1e-30)
        square += tl.sum(apart * apart * w[:, None], 0) + step * step * (count * more / total)
        mean += step * (more / total)
        count += more
    out = run * blocks + block
    tl.store(counts + out, count)
    tl.store(means + out * width + lane, mean, mask=wide)
    tl.store(squares + out * width + lane, square, mask=wide)


@jit
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


@jit
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


@jit
def block_gradients(
    x, gradient, mean, inverse, plain, along, rows, width,
    ROWS: tl.constexpr, LANES: tl.constexpr, RELU: tl.constexpr,
):  # fmt: skip
    """Of every so many-th rows: the summed gradient, and the same times the normalised value."""
    block, run, blocks = tl.program_id(0), tl.program_id(1).to(tl.int64), tl.num_programs(0)
    lane = tl.arange(0, LANES)
    wide = lane < width
    middle = tl.load(mean + run * width + lane, mask=wide, other=0.0)
    factor = tl.load(inverse + run * width + lane, mask=wide, other=0.0)
    first_sum, second_sum = tl.zeros((LANES,), tl.float32), tl.zeros((LANES,), tl.float32)
    for first in range(block * ROWS, rows, blocks * ROWS):
        row = first + tl.arange(0, ROWS)
        mask = (row < rows)[:, None] & wide[None, :]
        place = (run * rows + row)[:, None] * width + lane[None, :]
        values = tl.load(x + place, mask=mask, other=0.0).to(tl.float32)
        if RELU:
            values = tl.maximum(values, 0.0)
        slope = tl.load(gradient + place, mask=mask, other=0.0).to(tl.float32)
        normal = (values - middle[None, :]) * factor[None, :]
        first_sum += tl.sum(slope, 0)
        second_sum += tl.sum(slope * normal, 0)
    out = (run * blocks + block) * width + lane
    tl.store(plain + out, first_sum, mask=wide)
    tl.store(along + out, second_sum, mask=wide)


@jit
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


@jit
def remember_moments(
    running_mean, running_variance, mean, variance, count, width, momentum, LANES: tl.constexpr
):
    """Running moments drawn towards those of a batch, the variance without its bias."""
    run = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, LANES)
    wide = lane < width
    place = run * width + lane
    total = tl.load(count + run)
    fair = total / tl.maximum(total - 1.0, 1.0)
    old = tl.load(running_mean + place, mask=wide, other=0.0)
    new = tl.load(mean + place, mask=wide, other=0.0)
    tl.store(running_mean + place, old + momentum * (new - old), mask=wide)
    old = tl.load(running_variance + place, mask=wide, other=0.0)
    new = tl.load(variance + place, mask=wide, other=0.0) * fair
    tl.store(running_variance + place, old + momentum * (new - old), mask=wide)


@jit
def map_rows(
    x, gate, weight, bias, out, rows, inputs, outputs, across, along,
    ROWS: tl.constexpr, INPUTS: tl.constexpr, OUTPUTS: tl.constexpr,
    GATED: tl.constexpr, BIAS: tl.constexpr, RELU: tl.constexpr,
):  # fmt: skip
    """out = x · W + b of each run's rows; x counts where the gate is positive, if there is one.

    W's entry (i, o) lies at i · across + o · along.
    """
    run = tl.program_id(1).to(tl.int64)
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    i, o = tl.arange(0, INPUTS), tl.arange(0, OUTPUTS)
    there = row < rows
    place = (run * rows + row)[:, None] * inputs + i[None, :]
    mask = there[:, None] & (i < inputs)[None, :]
    values = tl.load(x + place, mask=mask, other=0.0)
    if GATED:
        values = tl.where(tl.load(gate + place, mask=mask, other=0.0) > 0, values, 0.0)
    matrix = tl.load(
        weight + run * inputs * outputs + i[:, None] * across + o[None, :] * along,
        mask=(i < inputs)[:, None] & (o < outputs)[None, :],
        other=0.0,
    )
    total = tl.dot(values, matrix.to(values.dtype), input_precision="tf32x3")
    if BIAS:
        total += tl.load(bias + run * outputs + o, mask=o < outputs, other=0.0)[None, :]
    if RELU:
        total = tl.maximum(total, 0.0)
    place = (run * rows + row)[:, None] * outputs + o[None, :]
    tl.store(out + place, total, mask=there[:, None] & (o < outputs)[None, :])


@jit
def weight_gradients(
    gradient, gate, x, parts, rows, inputs, outputs,
    ROWS: tl.constexpr, INPUTS: tl.constexpr, OUTPUTS: tl.constexpr, GATED: tl.constexpr,
):  # fmt: skip
    """Of every so many-th rows: gradientᵀ · x, and behind it the summed gradient."""
    block, run, blocks = tl.program_id(0), tl.program_id(1).to(tl.int64), tl.num_programs(0)
    i, o = tl.arange(0, INPUTS), tl.arange(0, OUTPUTS)
    total = tl.zeros((OUTPUTS, INPUTS), tl.float32)
    summed = tl.zeros((OUTPUTS,), tl.float32)
    for first in range(block * ROWS, rows, blocks * ROWS):
        row = first + tl.arange(0, ROWS)
        there = row < rows
        place = (run * rows + row)[None, :] * outputs + o[:, None]
        mask = there[None, :] & (o < outputs)[:, None]
        slope = tl.load(gradient + place, mask=mask, other=0.0)
        if GATED:
            slope = tl.where(tl.load(gate + place, mask=mask, other=0.0) > 0, slope, 0.0)
        values = tl.load(
            x + (run * rows + row)[:, None] * inputs + i[None, :],
            mask=there[:, None] & (i < inputs)[None, :],
            other=0.0,
        )
        total += tl.dot(slope, values.to(slope.dtype), input_precision="tf32x3")
        summed += tl.sum(slope.to(tl.float32), 1)
    out = (run * blocks + block) * outputs * (inputs + 1)
    inside = (o < outputs)[:, None] & (i < inputs)[None, :]
    tl.store(parts + out + o[:, None] * inputs + i[None, :], total, mask=inside)
    tl.store(parts + out + outputs * inputs + o, summed, mask=o < outputs)


@jit
def join_sums(parts, out, blocks, width, LANES: tl.constexpr):
    """Of each run the sum of its blocks' partial sums (R, blocks, width)."""
    run = tl.program_id(1).to(tl.int64)
    lane = tl.program_id(0) * LANES + tl.arange(0, LANES)
    wide = lane < width
    total = tl.zeros((LANES,), tl.float32)
    for block in range(blocks):
        total += tl.load(parts + (run * blocks + block) * width + lane, mask=wide, other=0.0)
    tl.store(out + run * width + lane, total, mask=wide)


@jit
def adam_step(
    values, slopes, first, second, step, rate, count, decay, beta, gamma, eps,
    SIZE: tl.constexpr,
):  # fmt: skip
    """One step of Adam (Kingma and Ba 2015) on all values at once."""
    place = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    there = place < count
    value = tl.load(values + place, mask=there, other=0.0)
    slope = tl.load(slopes + place, mask=there, other=0.0) + decay * value
    mean = tl.load(first + place, mask=there, other=0.0)
    mean = mean + (1 - beta) * (slope - mean)
    square = tl.load(second + place, mask=there, other=0.0)
    square = gamma * square + (1 - gamma) * slope * slope
    steps = tl.load(step)
    mean_seen = 1 - tl.exp(steps * tl.log(beta))
    square_seen = 1 - tl.exp(steps * tl.log(gamma))
    spread = tl.sqrt(square) / tl.sqrt(square_seen) + eps
    value -= tl.load(rate) / mean_seen * mean / spread
    tl.store(values + place, value, mask=there)
    tl.store(first + place, mean, mask=there)
    tl.store(second + place, square, mask=there)
