"""Linear maps of many rows: bias and ReLU in one pass, for one run or several side by side.

Rows are many and narrow, so all that counts is how often they are read and written, and in the
gradient of the weights how many programs share the rows: a matrix product of the library gives each
run but a few.
"""

from typing import Any

import torch
from torch import Tensor, nn

from gmixup.products import summed_blocks

PROGRAMS = 528  # of all runs together, that share the rows when gradients of weights are summed
WIDEST = 128  # inputs and outputs that fit a program


def linear(layer: nn.Linear, x: Tensor, relu: bool = False) -> Tensor:
    """layer(x) for rows (N, inputs), followed by a ReLU if asked."""
    fits = x.is_cuda and x.ndim == 2 and max(layer.weight.shape) <= WIDEST
    if not fits or layer.weight.dtype == torch.float64 or layer.bias is None:
        out = layer(x)
        return out.relu() if relu else out
    if torch.is_autocast_enabled("cuda"):
        x = x.to(torch.get_autocast_dtype("cuda"))
    return linear_rows(x[None], layer.weight[None], layer.bias[None], relu).squeeze(0)


@torch.library.custom_op("gmixup::linear_rows", mutates_args=())
def linear_rows(x: Tensor, weight: Tensor, bias: Tensor, relu: bool) -> Tensor:
    """(R, N, O) x · Wᵀ + b of rows (R, N, I), with weights (R, O, I) and biases (R, O)."""
    if not x.is_cuda:
        out = torch.baddbmm(bias.to(x)[:, None], x, weight.to(x).transpose(1, 2))
        return out.relu() if relu else out
    return _mapped(x, None, weight, bias, True, relu)


@linear_rows.register_fake
def _(x, weight, bias, relu):  # noqa: ARG001
    return x.new_empty(*x.shape[:2], weight.shape[1])


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    x, weight, _, relu = inputs
    ctx.save_for_backward(x, weight, *([output] if relu else []))


def _back(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
    x, weight, *gate = ctx.saved_tensors
    args = (gradient.contiguous(), gate[0] if gate else None, x, weight)
    return (*linear_rows_back(*args, ctx.needs_input_grad[0]), None)


linear_rows.register_autograd(_back, setup_context=_keep)


@torch.library.custom_op("gmixup::linear_rows_back", mutates_args=())
def linear_rows_back(
    gradient: Tensor, gate: Tensor | None, x: Tensor, weight: Tensor, needs_x: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of rows, weights and biases; with a gate, what came out of a ReLU.

    Where nobody needs the rows' gradient it is empty.
    """
    if not x.is_cuda:
        slope = gradient if gate is None else gradient * (gate > 0)
        back = slope @ weight.to(slope) if needs_x else x.new_empty(0)
        weights = slope.transpose(1, 2) @ x
        return back, weights.to(weight.dtype), slope.sum(1).to(weight.dtype)
    back = _mapped(gradient, gate, weight, None, False, False) if needs_x else x.new_empty(0)
    weights, biases = _weight_gradients(gradient, gate, x, weight)
    return back, weights, biases


@linear_rows_back.register_fake
def _(gradient, gate, x, weight, needs_x):  # noqa: ARG001
    back = torch.empty_like(x) if needs_x else x.new_empty(0)
    return back, torch.empty_like(weight), weight.new_empty(weight.shape[:2])


def _rule(function: Any) -> Any:
    """Under `torch.vmap`: the runs of the outer map and those within it, as one."""

    def rule(info: Any, in_dims: tuple[int | None, ...], *args: Any) -> tuple[Any, Any]:
        size = info.batch_size
        parts = [
            part
            if not isinstance(part, Tensor)
            else part.expand(size, *part.shape).flatten(0, 1)
            if dim is None
            else part.movedim(dim, 0).flatten(0, 1)
            for part, dim in zip(args, in_dims, strict=True)
        ]
        out = function(*parts)
        if isinstance(out, Tensor):
            return out.unflatten(0, (size, -1)), 0
        whole = (o.unflatten(0, (size, -1)) if o.numel() else o.new_empty(size, 0) for o in out)
        return tuple(whole), (0,) * len(out)

    return rule


if hasattr(torch.library, "register_vmap"):  # torch 2.5; before that runs go one after another
    torch.library.register_vmap("gmixup::linear_rows", _rule(linear_rows))
    torch.library.register_vmap("gmixup::linear_rows_back", _rule(linear_rows_back))


def _mapped(
    x: Tensor, gate: Tensor | None, weight: Tensor, bias: Tensor | None, forwards: bool, relu: bool
) -> Tensor:
    """Forwards x · Wᵀ + b, backwards x · W."""
    from gmixup.kernels import map_rows

    x, weight = x.contiguous(), weight.contiguous()
    runs, rows, inputs = x.shape
    outputs = weight.shape[1] if forwards else weight.shape[2]
    across, along = (1, inputs) if forwards else (outputs, 1)
    out = x.new_empty(runs, rows, outputs)
    height = _height(inputs, outputs)
    map_rows[(-(-rows // height), runs)](
        x, x if gate is None else gate.contiguous(), weight,
        weight if bias is None else bias.contiguous(), out, rows, inputs, outputs, across, along,
        ROWS=height, INPUTS=_padded(inputs), OUTPUTS=_padded(outputs), GATED=gate is not None,
        BIAS=bias is not None, RELU=relu,
    )  # fmt: skip
    return out


def _weight_gradients(
    gradient: Tensor, gate: Tensor | None, x: Tensor, weight: Tensor
) -> tuple[Tensor, Tensor]:
    from gmixup.kernels import weight_gradients

    gradient, x = gradient.contiguous(), x.contiguous()
    runs, rows, inputs = x.shape
    outputs = weight.shape[1]
    height = _height(inputs, outputs)
    blocks = max(1, min(-(-rows // height), -(-PROGRAMS // runs)))
    parts = torch.empty(runs, blocks, outputs * (inputs + 1), device=x.device)
    weight_gradients[(blocks, runs)](
        gradient, gradient if gate is None else gate.contiguous(), x, parts, rows, inputs,
        outputs, ROWS=height, INPUTS=_padded(inputs), OUTPUTS=_padded(outputs),
        GATED=gate is not None, num_stages=2,
    )  # fmt: skip
    weights, biases = summed_blocks(parts).split([outputs * inputs, outputs], 1)
    # An operation must not give two views of one tensor.
    return weights.clone().view_as(weight).to(weight.dtype), biases.to(weight.dtype, copy=True)


def _height(inputs: int, outputs: int) -> int:
    """Rows that a program holds at a time: as many as its memory takes beside the weights."""
    return 64 if max(inputs, outputs) <= 64 else 32


def _padded(width: int) -> int:
    """What a matrix unit takes: a power of two, 16 or more."""
    return max(16, 1 << (width - 1).bit_length())
