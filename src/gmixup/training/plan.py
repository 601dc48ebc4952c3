"""Plan: which graphs each run sees in each step, and how much room a step needs."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import pad

from gmixup.training.layout import Layout
from gmixup.training.run import Run

# Nodes of all runs together in one step of evaluation: enough to fill an accelerator.
MOST_NODES = 1 << 21


class Plan:
    """Tables of graphs by step, -1 for none; on an accelerator they stay where they are."""

    def __init__(
        self, runs: Sequence[Run], layout: Layout, device: str, padded: bool, epoch: int
    ) -> None:
        self.runs, self.layout, self.device, self.padded = runs, layout, device, padded
        size = runs[0].cell.recipe.batch_size
        rest = layout.rest()
        sizes = layout.sizes()
        self.validation = [
            torch.arange(len(r)) < v for r, v in zip(rest, layout.validation, strict=True)
        ]
        count = max(map(len, rest))
        width = min(count, self._rest_width(sizes, rest)) if padded else size
        table = torch.stack([pad(r, (0, count - len(r)), value=-1) for r in rest])
        steps = -(-count // width)
        table = pad(table, (0, steps * width - count), value=-1)
        self.rest = table.view(len(runs), steps, width).transpose(0, 1).contiguous().to(device)
        self.rest_steps = steps
        in_validation = pad(
            torch.stack([pad(v, (0, count - len(v))) for v in self.validation]),
            (0, steps * width - count),
        )
        self.parts = torch.stack([in_validation, (table >= 0) & ~in_validation]).to(device)
        recipe, augmentation = runs[0].cell.recipe, runs[0].cell.augmentation
        ahead = padded and not augmentation.fresh
        self.first, last = epoch, recipe.epochs if ahead else epoch + 1
        tables = [self._table(e) for e in range(epoch, last)]
        self.steps = len(tables[0])
        self.train = tables[0].to(device)
        self.keys = torch.zeros(self.steps, len(runs), dtype=torch.long, device=device)
        self.draws = getattr(runs[0].cell.backbone, "dropout", 0) > 0
        self.ahead = self.keys_ahead = None
        self.capacity = self.rest_capacity = None
        if padded:
            self.capacity = _room(sizes, tables)
            self.rest_capacity = _room(sizes, [self.rest.cpu()])
        if ahead:
            # All epochs at once: a copy from the host would have the device wait in each.
            self.ahead = torch.stack([table.int() for table in tables]).to(device)
            keys = torch.stack([self._keys(e) for e in range(epoch, last)]) if self.draws else None
            self.keys_ahead = None if keys is None else keys.to(device)

    def begin(self, epoch: int) -> None:
        """Brings the tables of an epoch to where a step reads them."""
        if self.ahead is not None:
            self.train.copy_(self.ahead[epoch - self.first])
            if self.keys_ahead is not None:
                self.keys.copy_(self.keys_ahead[epoch - self.first])
            return
        self.train.copy_(self._table(epoch))
        if self.draws:
            self.keys.copy_(self._keys(epoch))

    def take(self, table: Tensor, step: int | Tensor) -> Tensor:
        """The row of a step; by a tensor nothing waits for its value."""
        if isinstance(step, Tensor):
            return table.index_select(0, step)[0]
        return table[step]

    def _table(self, epoch: int) -> Tensor:
        """(steps, R, B) the graphs to train on."""
        size = self.runs[0].cell.recipe.batch_size
        rows = []
        for run, total in zip(self.runs, self.layout.total, strict=True):
            batches = run.batches(epoch, total)
            rows.append(torch.stack([pad(b, (0, size - len(b)), value=-1) for b in batches]))
        return torch.stack(rows, 1)

    def _keys(self, epoch: int) -> Tensor:
        """(steps, R) what each run draws by in dropout."""
        keys = [[run.key("dropout", epoch, s) for run in self.runs] for s in range(self.steps)]
        return torch.tensor(keys)

    def _rest_width(self, sizes: Tensor, rest: Sequence[Tensor]) -> int:
        nodes = sum(int(s[r].sum()) for s, r in zip(sizes[0], rest, strict=True))
        graphs = sum(map(len, rest))
        return max(1, int(MOST_NODES * graphs / max(nodes, 1)) // len(rest))


def _room(sizes: Tensor, tables) -> tuple[int, int]:
    """The most nodes and edges of a run in any step of these tables (S, R, B)."""
    most = torch.ones(2, dtype=torch.long)
    for table in tables:
        safe = table.clamp(min=0).transpose(0, 1).flatten(1)  # (R, S · B)
        found = sizes.gather(2, safe.expand(2, -1, -1)) * (table.transpose(0, 1).flatten(1) >= 0)
        sums = found.unflatten(2, (len(table), -1)).sum(3)
        most = torch.maximum(most, sums.flatten(1).max(1).values)
    # Edges that are left over are loops at nodes that are: there has to be one.
    return int(most[0]) + 1, int(most[1])
