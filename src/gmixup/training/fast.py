"""Fast: the plain loop's mathematics on graphs that lie on the device, several runs at once.

All graphs lie in one store, and a batch is a vector of their numbers. On a CPU each step gathers
just what it needs. On an accelerator runs go side by side: shapes are fixed, a step is captured as
a CUDA graph once and replayed, and the host does no work but to say so.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from gmixup.augmentations._base import AbstractAugmentation
from gmixup.batch import Batch, Masks
from gmixup.training.adam import FlatAdam
from gmixup.training.capture import Captured
from gmixup.training.curve import Curve
from gmixup.training.layout import Features, Layout
from gmixup.training.objective import in_full, soft_cross_entropy
from gmixup.training.plan import Plan
from gmixup.training.run import Run
from gmixup.training.side_by_side import SideBySide
from gmixup.training.state import State, Watch
from gmixup.training.stores import Stores
from gmixup.training.telling import Seen

# Epochs after which an accelerator is asked what came out: each time it has to come to a halt.
EPOCHS_BETWEEN_LOOKS = 10


def train(runs: Sequence[Run], stores: Stores, device: str, watch: Watch) -> list[Curve]:
    """Trains the networks of runs that differ in nothing but their seeds and splits."""
    kept = [watch.kept(run, "parameters") for run in runs]
    curves = [curve for curve, _ in kept]
    engine = Engine(runs, stores, device, start=len(curves[0]))
    for place, (_, state) in enumerate(kept):
        if state:
            engine.restore(place, state)
    recipe, padded = runs[0].cell.recipe, engine.padded
    epoch = len(curves[0])
    while epoch < recipe.epochs and not all(map(_stopped, runs, curves)):
        looks = min(EPOCHS_BETWEEN_LOOKS if padded else 1, recipe.epochs - epoch)
        seen = [engine.epoch(at) for at in range(epoch, epoch + looks)]
        points = Seen.points(seen, recipe.metric)
        for place, run in enumerate(runs):
            since = len(curves[place])
            curves[place] = curves[place].then(*points[place])
            watch.tell(run, curves[place], since)
        epoch += looks
        if watch.due():
            for place, run in enumerate(runs):
                watch.keep(run, curves[place], engine.state(place))
    engine.captured = None  # it knows the engine: neither would be let go
    return [_stopped(run, curve) or curve for run, curve in zip(runs, curves, strict=True)]


def _stopped(run: Run, curve: Curve) -> Curve | None:
    return curve.stopped(run.cell.recipe.patience)


class Engine:
    """R runs on a device: their networks, their optimiser, and one epoch of all of them."""

    def __init__(
        self,
        runs: Sequence[Run],
        stores: Stores,
        device: str,
        start: int = 0,
        padded: bool | None = None,
    ) -> None:
        self.runs, self.device, self.stores = runs, device, stores
        self.recipe, self.augmentation = runs[0].cell.recipe, runs[0].cell.augmentation
        networks = [run.network() for run in runs]
        self.networks = SideBySide(networks, device)
        # With masks alike nodes are no longer alike.
        self.merged = networks[0].takes_merged and not _acts(self.augmentation, "on_batch")
        self.padded = device != "cpu" or len(runs) > 1 if padded is None else padded
        self.features = Features.of(runs).to(device)
        weights = [run.class_weights() for run in runs]
        self.weights = (
            None
            if weights[0] is None
            else torch.stack([w for w in weights if w is not None])[:, None].to(device)
        )
        self.lay_out(start)
        self.optimizer = self._optimizer()
        self.streams = [torch.Generator(device) for _ in runs]
        self.captured: Captured | None = None

    def lay_out(self, epoch: int) -> None:
        """Places the graphs of an epoch: once, or anew where the augmentation wants it so."""
        shared = self.stores.whole(self.merged, self.features.kind != "own")
        layout = Layout.of(self.runs, shared, self.merged, epoch)
        self.plan = Plan(self.runs, layout, self.device, self.padded, epoch)
        self.layout = layout.to(self.device)
        self.held: dict[int, Batch] = {}

    def epoch(self, epoch: int) -> Seen:
        """Trains all runs for an epoch, and evaluates them."""
        if self.augmentation.fresh and epoch > 0:
            self.lay_out(epoch)
        self._set_rate(self.recipe.rate(epoch))
        self.plan.begin(epoch)
        # Double precision is for tests: torch's own Adam would count its steps on the host.
        double = self.recipe.precision == "float64"
        captured = self.device != "cpu" and not self.augmentation.fresh and not double
        if captured and self.captured is None:
            self.captured = Captured(self)
        if captured and self.captured is not None:
            if _acts(self.augmentation, "on_batch") or _acts(self.augmentation, "on_hidden"):
                self.seed(epoch)
            return self.captured.epoch()
        trained = []
        for step in range(self.plan.steps):
            self.seed(epoch, step)
            trained.append(self.train_step(step))
        found = [self.evaluate(step) for step in range(self.plan.rest_steps)]
        return Seen.of(trained, found, self.plan)

    def seed(self, *purpose: int) -> None:
        """Brings what each run draws with to where the plain loop has it in a step."""
        for stream, run in zip(self.streams, self.runs, strict=True):
            stream.manual_seed(run.key("batch", *purpose))

    def train_step(self, step: int | Tensor) -> tuple[Tensor, Tensor]:
        """One step of every run; the logits and labels (R, B, C) that the loss saw."""
        ids = self.plan.take(self.plan.train, step)
        batch = self.gather(ids, self.plan.capacity)
        return self.learn(
            batch.masked(self.masks(batch)), ids, self.plan.take(self.plan.keys, step)
        )

    def learn(self, batch: Batch, ids: Tensor, keys: Tensor) -> tuple[Tensor, Tensor]:
        """A step on a batch that is gathered and masked."""
        self.networks.train(True)
        self.networks.begin(keys)
        self.optimizer.zero_grad()
        with self.recipe.autocast(self.device):
            hidden, extra = self.networks.encode(batch)
            hidden, y = self.mix(hidden, batch.y)
            logits = self.networks.head(hidden)
        logits = in_full(logits)
        y = y.unflatten(0, (len(self.runs), -1)).to(logits.dtype)
        real = (ids >= 0).sum(1).clamp(min=1)
        losses = soft_cross_entropy(logits, y, self.weights).sum(1) / real + extra
        # The sum of losses that share no parameter: each run gets its own gradient.
        losses.sum().backward()
        self.optimizer.step()
        width = ids.shape[1]
        return logits.detach()[:, :width], y[:, :width]

    @torch.no_grad()
    def evaluate(self, step: int) -> tuple[Tensor, Tensor]:
        """Logits and labels (R, B, C) of some of the graphs that are not trained on."""
        self.networks.train(False)
        ids = self.plan.rest[step]
        if step not in self.held:  # the same graphs in every epoch
            self.held[step] = self.gather(ids, self.plan.rest_capacity)
        batch = self.held[step]
        with self.recipe.autocast(self.device):
            hidden, _ = self.networks.encode(batch)
            logits = self.networks.head(hidden)
        y = batch.y
        assert y is not None
        y = y.unflatten(0, (len(self.runs), -1))
        return in_full(logits)[:, : ids.shape[1]], y[:, : ids.shape[1]]

    def gather(self, ids: Tensor, capacity: tuple[int, int] | None) -> Batch:
        """The batch of the graphs at `ids` (R, B) of each run, -1 for none; with features."""
        there = ids >= 0
        safe = ids.clamp(min=0)
        place = self.layout.place.gather(1, safe)
        labels = self.layout.y.gather(1, safe[..., None].expand(-1, -1, self.layout.y.shape[2]))
        labels = labels * there[..., None]
        if capacity is None:
            batch = Batch.of(self.layout.store, place[0][there[0]])
            y = labels[0][there[0]]
        else:
            nodes, edges = capacity
            place = place.where(there, -1)
            batch = Batch.of(self.layout.store, place, nodes=nodes, edges=edges)
            y = torch.nn.functional.pad(labels, (0, 0, 0, 1)).flatten(0, 1)
        return replace(batch, x=self.features(batch.x), y=y)

    def masks(self, batch: Batch) -> Masks | None:
        """Moment 2, each run for itself, so that none depends on its company."""
        if not _acts(self.augmentation, "on_batch"):
            return None
        if len(self.runs) == 1:
            return self.augmentation.on_batch(batch, self.streams[0])
        drawn = [
            self.augmentation.on_batch(part, stream)
            for part, stream in zip(parts_of(batch, len(self.runs)), self.streams, strict=True)
        ]
        return Masks(
            *(
                None if parts[0] is None else torch.cat(parts)
                for parts in (
                    [getattr(masks, name) for masks in drawn]
                    for name in ("node_keep", "edge_keep", "feature_keep")
                )
            )
        )

    def mix(self, hidden: Tensor, y: Tensor | None) -> tuple[Tensor, Tensor]:
        """Moment 3, each run for itself."""
        assert y is not None
        if not _acts(self.augmentation, "on_hidden"):
            return hidden, y
        runs = len(self.runs)
        rows = zip(hidden.chunk(runs), y.chunk(runs), self.streams, strict=True)
        mixed = [self.augmentation.on_hidden(*given) for given in rows]
        return torch.cat([h for h, _ in mixed]), torch.cat([y for _, y in mixed])

    def state(self, run: int) -> State:
        """What a checkpoint of one run keeps."""
        moments: dict[str, dict[str, Tensor]] = {"exp_avg": {}, "exp_avg_sq": {}}
        steps: dict[str, Tensor] = {}
        for name, parameter in self.networks.parameters.items():
            own = self.optimizer.state[parameter]
            steps[name] = own["step"].cpu().clone()
            for kind, values in moments.items():
                values[name] = own[kind]
        of_run = self.networks.of_run
        return {
            "parameters": of_run(run, self.networks.parameters),
            "buffers": of_run(run, self.networks.buffers),
            "moments": {kind: of_run(run, values) for kind, values in moments.items()},
            "steps": steps,
        }

    def restore(self, run: int, state: State) -> None:
        """Brings one run to where its checkpoint was taken."""
        self.networks.put(run, self.networks.parameters, state["parameters"])
        self.networks.put(run, self.networks.buffers, state["buffers"])
        self.make_moments()
        for name, parameter in self.networks.parameters.items():
            own = self.optimizer.state[parameter]
            own["step"].copy_(state["steps"][name])
            for kind, values in state["moments"].items():
                self.networks.put(run, {name: own[kind]}, {name: values[name]})

    def make_moments(self) -> None:
        """Adam's state as it is before the first step."""
        for parameter in self.networks.parameters.values():
            if parameter not in self.optimizer.state:
                self.optimizer.state[parameter] = {
                    "step": torch.zeros(()),
                    "exp_avg": torch.zeros_like(parameter),
                    "exp_avg_sq": torch.zeros_like(parameter),
                }

    def _optimizer(self) -> Any:
        rate, decay = self.recipe.learning_rate, self.recipe.weight_decay
        named = self.networks.parameters
        single = all(parameter.dtype == torch.float32 for parameter in named.values())
        if self.device == "cpu" or not single:
            return torch.optim.Adam(named.values(), lr=rate, weight_decay=decay)
        optimizer = FlatAdam(named, rate, decay)
        self.networks.adopt(optimizer.parameters)
        return optimizer

    def _set_rate(self, rate: float) -> None:
        group = self.optimizer.param_groups[0]
        if isinstance(group["lr"], Tensor):
            group["lr"].fill_(rate)
        else:
            group["lr"] = rate


class _Part:
    """The graphs of one run in a batch of several, as augmentations see a batch."""

    def __init__(self, edge_index: Tensor, batch: Tensor, num_graphs: int) -> None:
        self.edge_index, self.batch, self.num_graphs = edge_index, batch, num_graphs


def parts_of(batch: Batch, runs: int) -> list[_Part]:
    """Each run's share of a batch, its nodes and graphs counted from 0."""
    nodes, graphs = len(batch.x) // runs, batch.num_graphs // runs
    pairs = zip(batch.edge_index.chunk(runs, 1), batch.batch.chunk(runs), strict=True)
    return [
        _Part(edges - run * nodes, owner - run * graphs, graphs)
        for run, (edges, owner) in enumerate(pairs)
    ]


def _acts(augmentation: AbstractAugmentation, moment: str) -> bool:
    return getattr(type(augmentation), moment) is not getattr(AbstractAugmentation, moment)
