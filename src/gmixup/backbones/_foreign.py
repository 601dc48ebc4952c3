"""A person's own network: any `torch.nn.Module` that takes a batch of PyG."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from torch import Tensor, nn

from gmixup.backbones._base import AbstractNetwork, Inputs
from gmixup.backbones._source import source_hash
from gmixup.batch import Batch
from gmixup.registry import Room


@dataclass(frozen=True)
class BackboneRoom(Room):
    """The backbones, and whatever makes a module from how many inputs and outputs there are."""

    def make(self, part: Any, **settings: Any) -> Any:
        """A backbone from a name, from `path.py:MyNet`, from a class or function, or itself.

        What is no backbone is called as `MyNet(inputs, outputs, **settings)` for each new network.
        """
        found: Any = self.find(part) if isinstance(part, str) else part
        if isinstance(found, type) and hasattr(found, "build"):
            return found(**settings)
        if hasattr(found, "build"):
            return found
        if isinstance(found, nn.Module) or not callable(found):
            raise ValueError(
                f"`{self.noun}` is {type(found).__name__}; every run needs a new network: give a "
                "name, a class, or a function such as `lambda inputs, outputs: MyNet(inputs, "
                "outputs)`"
            )
        function: Any = partial(found, **settings) if settings else found
        return Foreign(function)


@dataclass(frozen=True)
class Foreign:
    """Networks by somebody's own function of `inputs` and `outputs`."""

    function: Callable[..., nn.Module]

    @property
    def name(self) -> str:
        """What the function or class is called, as `my-net` for MyNet; `own` for a lambda."""
        function = self.function.func if isinstance(self.function, partial) else self.function
        called = getattr(function, "__name__", type(function).__name__)
        words = re.findall(r"[A-Z]*[a-z0-9]+|[A-Z]+", called)
        return "own" if called == "<lambda>" else "-".join(words).lower()

    def described(self) -> dict[str, Any]:
        """What a record says of it: another function, or a changed one, is another network."""
        settings = self.function.keywords if isinstance(self.function, partial) else {}
        return {"name": self.name, **settings, "source": source_hash(self.function)}

    def build(
        self,
        inputs: Inputs,
        outputs: int,
        edge_inputs: Inputs | None = None,  # noqa: ARG002
    ) -> AbstractNetwork:
        """A new network of theirs; where features are integer columns `inputs` is their number."""
        width = len(inputs) if isinstance(inputs, tuple) else inputs
        try:
            module = self.function(width, outputs)
        except TypeError as error:
            raise ValueError(
                f"the backbone {self.name!r} cannot be made of {width} inputs and {outputs} "
                f"outputs: {error}; it is called as MyNet(inputs, outputs)"
            ) from error
        if not isinstance(module, nn.Module):
            raise ValueError(
                f"the backbone {self.name!r} gave {type(module).__name__}; its function must give "
                "a torch.nn.Module that takes a PyG batch"
            )
        return _ForeignNetwork(module)


class _ForeignNetwork(AbstractNetwork):
    """Hands the module a PyG batch: x, edge_index, batch, ptr, num_graphs, edge_attr, y.

    What masks drop is cut out of it. If the module has `encode` and `head`, Manifold Mixup can mix
    between them; else its logits stand for the embedding.
    """

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module
        self.has_hidden = hasattr(module, "encode") and hasattr(module, "head")

    def encode(self, batch: Batch) -> Tensor:
        encode: Any = self.module.encode if self.has_hidden else self.module
        out = encode(batch.to_pyg())
        if batch.graph_mask is None:
            return out
        return out.new_zeros(batch.num_graphs, out.shape[1]).masked_scatter(
            batch.graph_mask[:, None], out
        )

    @property
    def head(self) -> nn.Module:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.module.head if self.has_hidden else nn.Identity()  # pyright: ignore
