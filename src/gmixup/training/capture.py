"""Capture: the steps of an epoch as CUDA graphs, which the host does no more than start."""

import copy
import gc
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from gmixup.batch import Masks
from gmixup.training.telling import Seen

if TYPE_CHECKING:
    from gmixup.training.fast import Engine

WARM_UPS = 2


class Captured:
    """A training step and a step of evaluation of an engine, each captured once.

    Where an augmentation reads values on the host, its draw stays outside: what is gathered is one
    graph, what is learnt from it another.
    """

    def __init__(self, engine: "Engine") -> None:
        self.engine, plan = engine, engine.plan
        self.step = torch.zeros(1, dtype=torch.long, device=engine.device)
        self.out = _buffers(engine, plan.steps, plan.train.shape[2])
        self.apart = engine.augmentation.waits
        self.masks: Masks | None = None
        before = _snapshot(engine)
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(WARM_UPS):
                self.step.zero_()
                self._gather()
                self._draw()
                self._learn()
            for place in range(plan.rest_steps):
                engine.evaluate(place)
        torch.cuda.current_stream().wait_stream(side)
        torch.cuda.synchronize()
        engine.optimizer.zero_grad(set_to_none=True)
        pool = torch.cuda.graph_pool_handle()
        self.gathering = self._graph(pool, self._gather) if self.apart else None
        if self.gathering is not None:
            self.gathering.replay()  # what is captured has not been done yet
            self._draw()
            self.training = self._graph(pool, self._learn)
        else:
            self.training = self._graph(pool, self._gather, self._draw, self._learn)
        self.found: list[tuple[Tensor, Tensor]] = []
        self.evaluations = [
            self._graph(pool, lambda place=place: self.found.append(engine.evaluate(place)))
            for place in range(plan.rest_steps)
        ]
        _put_back(before)

    def epoch(self) -> Seen:
        """Replays an epoch."""
        plan = self.engine.plan
        self.step.zero_()
        for _ in range(plan.steps):
            if self.gathering is not None:
                self.gathering.replay()
                self._draw()
            self.training.replay()
        for evaluation in self.evaluations:
            evaluation.replay()
        return Seen.of(list(zip(*self.out, strict=True)), self.found, plan).cloned()

    def _graph(self, pool: Any, *parts: Any) -> torch.cuda.CUDAGraph:
        graph = torch.cuda.CUDAGraph()
        for stream in self.engine.streams:
            graph.register_generator_state(stream)
        # What was captured before must not be destroyed by the garbage collector meanwhile.
        gc.collect()
        gc.disable()
        try:
            with torch.cuda.graph(graph, pool=pool, capture_error_mode="thread_local"):
                for part in parts:
                    part()
        finally:
            gc.enable()
        return graph

    def _gather(self) -> None:
        engine, plan = self.engine, self.engine.plan
        self.ids = plan.take(plan.train, self.step)
        self.batch = engine.gather(self.ids, plan.capacity)

    def _draw(self) -> None:
        masks = self.engine.masks(self.batch)
        if not self.apart or masks is None or self.masks is None:
            self.masks = masks
            return
        # Where what is learnt reads them: its place in memory has been captured.
        for name in ("node_keep", "edge_keep", "feature_keep"):
            if (held := getattr(self.masks, name)) is not None:
                held.copy_(getattr(masks, name))

    def _learn(self) -> None:
        engine, plan = self.engine, self.engine.plan
        keys = plan.take(plan.keys, self.step)
        logits, y = engine.learn(self.batch.masked(self.masks), self.ids, keys)
        self._write(logits, y)

    def _write(self, logits: Tensor, y: Tensor) -> None:
        for buffer, values in zip(self.out, (logits, y), strict=True):
            buffer.index_copy_(0, self.step, values[None].to(buffer.dtype))
        self.step += 1


def _buffers(engine: "Engine", steps: int, width: int) -> tuple[Tensor, Tensor]:
    shape = (steps, len(engine.runs), width, engine.layout.y.shape[2])
    exact = torch.float64 if engine.recipe.precision == "float64" else torch.float32
    return tuple(torch.zeros(shape, dtype=exact, device=engine.device) for _ in range(2))  # pyright: ignore


def _snapshot(engine: "Engine") -> dict[str, Any]:
    engine.make_moments()
    held = [*engine.networks.parameters.values(), *engine.networks.buffers.values()]
    states = [part for state in engine.optimizer.state.values() for part in state.values()]
    return {
        "tensors": [*held, *states],
        "values": copy.deepcopy([p.detach() for p in [*held, *states]]),
    }


@torch.no_grad()
def _put_back(before: dict[str, Any]) -> None:
    for tensor, value in zip(before["tensors"], before["values"], strict=True):
        tensor.copy_(value)
