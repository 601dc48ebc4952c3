"""Normalisation of weighted rows in few passes: an operation that can be captured and mapped.

Batch normalisation of masked rows, written with torch's operations, reads and writes the rows about
twenty times a layer; here it is three times forwards and five backwards. Under `torch.vmap` runs
lie side by side, each with moments and parameters of its own.
"""

from typing import Any

import torch
from torch import Tensor

from gmixup.products import summed_blocks

ROWS = 64  # that a program reads at a time; what it keeps in registers
PROGRAMS = 1024  # of all runs together, where sums over rows are made; each gives a partial sum
Parts = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]


@torch.library.custom_op("gmixup::normalise", mutates_args=())
def normalise(
    x: Tensor, weight: Tensor, scale: Tensor, shift: Tensor, eps: float, relu: bool
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Rows (R, N, H) normalised over the rows of each run.

    `weight` (R, N) is how much a row counts in the moments, `scale` and `shift` (R, H) follow the
    normalisation, and with `relu` all is of the positive part of x. Besides the rows: the summed
    weight (R,), and mean, variance and 1 / σ (R, H).
    """
    if _fits_kernel(x):
        return _by_kernels(x, weight, scale, shift, eps, relu)
    exact = _exact(x)
    values, w = _positive(x, relu).to(exact), weight.to(exact)[..., None]
    count = w.sum(1).clamp(min=1)
    mean = (values * w).sum(1) / count
    variance = ((values - mean[:, None]).square() * w).sum(1) / count
    inverse = (variance + eps).rsqrt()
    factor = scale.to(exact) * inverse
    out = values * factor[:, None] + (shift.to(exact) - mean * factor)[:, None]
    return out.to(x.dtype), count[:, 0], mean, variance, inverse


@normalise.register_fake
def _(x, weight, scale, shift, eps, relu):  # noqa: ARG001
    moments = (x.new_empty(x.shape[0], x.shape[2], dtype=_exact(x)) for _ in range(3))
    return torch.empty_like(x), x.new_empty(x.shape[0], dtype=_exact(x)), *moments


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Parts) -> None:
    x, weight, scale, _, _, ctx.relu = inputs
    _, count, mean, variance, inverse = output
    ctx.save_for_backward(x, weight, scale, count, mean, inverse)
    ctx.set_materialize_grads(False)
    ctx.mark_non_differentiable(count, mean, variance, inverse)


def _back(ctx: Any, gradient: Tensor, *_: Tensor) -> tuple[Tensor | None, ...]:
    out, along, plain = normalise_back(gradient.contiguous(), *ctx.saved_tensors, ctx.relu)
    scale = ctx.saved_tensors[2]
    return out, None, along.to(scale.dtype), plain.to(scale.dtype), None, None


normalise.register_autograd(_back, setup_context=_keep)


@torch.library.custom_op("gmixup::normalise_back", mutates_args=())
def normalise_back(
    gradient: Tensor,
    x: Tensor,
    weight: Tensor,
    scale: Tensor,
    count: Tensor,
    mean: Tensor,
    inverse: Tensor,
    relu: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of x (R, N, H), of the scale and of the shift (R, H).

    The moments depend on x too: what their gradients give back to a row goes with its weight.
    """
    if _fits_kernel(x):
        return _back_by_kernels(gradient, x, weight, scale, count, mean, inverse, relu)
    exact = _exact(x)
    slope, values = gradient.to(exact), _positive(x, relu).to(exact)
    normal = (values - mean[:, None]) * inverse[:, None]
    plain, along = slope.sum(1), (slope * normal).sum(1)
    share = (weight.to(exact) / count[:, None])[..., None]
    back = share * (plain[:, None] + normal * along[:, None])
    out = (scale.to(exact) * inverse)[:, None] * (slope - back)
    return (out * (x > 0) if relu else out).to(x.dtype), along, plain


@normalise_back.register_fake
def _(gradient, x, weight, scale, count, mean, inverse, relu):  # noqa: ARG001
    return torch.empty_like(x), torch.empty_like(mean), torch.empty_like(mean)


def _rule(function: Any) -> Any:
    """Under `torch.vmap`: the runs of the outer map and those within it, as one."""

    def rule(info: Any, in_dims: tuple[int | None, ...], *args: Any) -> tuple[Any, tuple[int, ...]]:
        size = info.batch_size
        parts = (
            part
            if not isinstance(part, Tensor)
            else part.expand(size, *part.shape).flatten(0, 1)
            if dim is None
            else part.movedim(dim, 0).flatten(0, 1)
            for part, dim in zip(args, in_dims, strict=True)
        )
        out = function(*parts)
        return tuple(part.unflatten(0, (size, -1)) for part in out), (0,) * len(out)

    return rule


if hasattr(torch.library, "register_vmap"):  # torch 2.5; before that runs go one after another
    torch.library.register_vmap("gmixup::normalise", _rule(normalise))
    torch.library.register_vmap("gmixup::normalise_back", _rule(normalise_back))


@torch.library.custom_op("gmixup::remember", mutates_args=("running_mean", "running_variance"))
def remember(
    running_mean: Tensor,
    running_variance: Tensor,
    mean: Tensor,
    variance: Tensor,
    count: Tensor,
    momentum: float,
) -> None:
    """Draws running moments (R, H) towards those of a batch, the variance without its bias."""
    if running_mean.is_cuda and running_mean.dtype == torch.float32 == mean.dtype:
        from gmixup.kernels import lanes, remember_moments

        runs, width = running_mean.shape
        remember_moments[(runs,)](
            running_mean, running_variance, mean, variance, count, width, momentum,
            LANES=lanes(width),
        )  # fmt: skip
        return
    fair = variance * (count / (count - 1).clamp(min=1))[:, None]
    for running, new in ((running_mean, mean), (running_variance, fair)):
        running.add_(momentum * (new.to(running) - running))


def _remember_rule(info: Any, in_dims: tuple[int | None, ...], *args: Any) -> tuple[None, None]:
    """Under `torch.vmap`: the running moments of all runs lie one after the other."""
    *parts, momentum = args
    rows = (
        part.expand(info.batch_size, *part.shape).flatten(0, 1)
        if dim is None
        else part.flatten(0, 1)
        for part, dim in zip(parts, in_dims, strict=False)
    )
    remember(*rows, momentum)
    return None, None


if hasattr(torch.library, "register_vmap"):
    torch.library.register_vmap("gmixup::remember", _remember_rule)


def _exact(x: Tensor) -> torch.dtype:
    return x.dtype if x.dtype == torch.float64 else torch.float32


def _positive(x: Tensor, relu: bool) -> Tensor:
    return x.relu() if relu else x


def _fits_kernel(x: Tensor) -> bool:
    return x.is_cuda and x.dtype != torch.float64 and 0 < x.shape[2] <= 1024 and x.numel() > 0


def _by_kernels(
    x: Tensor, weight: Tensor, scale: Tensor, shift: Tensor, eps: float, relu: bool
) -> Parts:
    # Triton comes with torch where there is a GPU for it, and nowhere else.
    from gmixup.kernels import join_moments, lanes

    x, runs, width = x.contiguous(), x.shape[0], x.shape[2]
    blocks = _blocks(x)
    counts = torch.empty(runs, blocks, device=x.device)
    means = torch.empty(runs, blocks, width, device=x.device)
    squares = torch.empty_like(means)
    parts = (x, weight.contiguous(), counts, means, squares)
    _launch("block_moments", x, parts, relu, blocks)
    count = torch.empty(runs, device=x.device)
    mean, variance, inverse = (torch.empty(runs, width, device=x.device) for _ in range(3))
    join_moments[(runs,)](
        counts, means, squares, count, mean, variance, inverse, blocks, width, eps,
        BLOCKS=32, LANES=lanes(width),
    )  # fmt: skip
    out = torch.empty_like(x)
    parts = (x, scale.contiguous(), shift.contiguous(), mean, inverse, out)
    _launch("scale_rows", x, parts, relu)
    return out, count, mean, variance, inverse


def _back_by_kernels(
    gradient: Tensor,
    x: Tensor,
    weight: Tensor,
    scale: Tensor,
    count: Tensor,
    mean: Tensor,
    inverse: Tensor,
    relu: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    x, gradient = x.contiguous(), gradient.contiguous()
    # Both kinds of sums lie in one tensor, so that one more step adds up the blocks of both.
    sums = torch.empty(2, len(x), _blocks(x), x.shape[2], device=x.device)
    parts = (x, gradient, mean, inverse, sums[0], sums[1])
    _launch("block_gradients", x, parts, relu, sums.shape[2])
    plain, along = summed_blocks(sums.flatten(0, 1)).chunk(2)
    out = torch.empty_like(x)
    parts = (x, gradient, weight.contiguous(), count, mean, inverse, scale.contiguous())
    _launch("gradient_rows", x, (*parts, plain, along, out), relu)
    return out, along.clone(), plain.clone()


def _blocks(x: Tensor) -> int:
    """How many programs share the rows of a run."""
    return max(1, min(-(-x.shape[1] // ROWS), -(-PROGRAMS // len(x))))


def _launch(
    name: str, x: Tensor, parts: tuple[Tensor, ...], relu: bool, blocks: int | None = None
) -> None:
    from gmixup import kernels

    runs, rows, width = x.shape
    grid = (-(-rows // ROWS) if blocks is None else blocks, runs)
    kernel: Any = getattr(kernels, name)
    kernel[grid](*parts, rows, width, ROWS=ROWS, LANES=kernels.lanes(width), RELU=relu)
