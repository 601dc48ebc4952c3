"""Adam for stacked parameters on an accelerator: all values in one tensor, one launch a step.

torch's fused Adam shares a tensor among few programs, and those of small networks wait for it.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

SIZE = 1024  # values to a program
BETA, GAMMA, EPS = 0.9, 0.999, 1e-8


class FlatAdam:
    """torch.optim.Adam as far as the loops use it, for float32 parameters of one device."""

    def __init__(self, parameters: Mapping[str, Tensor], rate: float, decay: float) -> None:
        device = next(iter(parameters.values())).device
        self.values = torch.cat([tensor.detach().flatten() for tensor in parameters.values()])
        self.first, self.second = torch.zeros_like(self.values), torch.zeros_like(self.values)
        self.step_count = torch.zeros((), device=device)
        self.rate, self.decay = torch.tensor(rate, device=device), decay
        self.parameters: dict[str, Tensor] = {}
        self.state: dict[Tensor, dict[str, Tensor]] = {}
        sizes = [tensor.numel() for tensor in parameters.values()]
        whole = (self.values, self.first, self.second)
        parts = zip(*(tensor.split(sizes) for tensor in whole), strict=True)
        for (name, tensor), (values, first, second) in zip(parameters.items(), parts, strict=True):
            own = values.view(tensor.shape).requires_grad_()
            self.parameters[name] = own
            self.state[own] = {
                "step": self.step_count,
                "exp_avg": first.view(tensor.shape),
                "exp_avg_sq": second.view(tensor.shape),
            }
        self.param_groups: list[dict[str, Any]] = [{"lr": self.rate}]

    def zero_grad(self, set_to_none: bool = True) -> None:  # noqa: ARG002
        """Forgets the gradients."""
        for parameter in self.parameters.values():
            parameter.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """One step; a parameter that no gradient reached has one of 0."""
        from gmixup.kernels import adam_step

        slopes = torch.cat(
            [
                (torch.zeros_like(p) if p.grad is None else p.grad).flatten()
                for p in self.parameters.values()
            ]
        )
        self.step_count += 1
        count = len(self.values)
        adam_step[(-(-count // SIZE),)](
            self.values, slopes, self.first, self.second, self.step_count, self.rate, count,
            self.decay, BETA, GAMMA, EPS, SIZE=SIZE,
        )  # fmt: skip
