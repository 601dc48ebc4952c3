"""Workers: bundles spread by joblib over processes here or a cluster; a worker may die."""

import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import cloudpickle
from joblib import Parallel, delayed, parallel_config

from gmixup.records import Record
from gmixup.registry import OWN_PREFIX
from gmixup.sweep.bundles import Bundle, Manner, train_bundle, write_failure

CLUSTERS = {"dask": "distributed", "ray": "ray"}  # backends of joblib that are extras of ours

Call = Callable[[], Bundle]  # the graphs of a bundle are fetched when its turn comes


def spread(
    bundles: Sequence[Call], manner: Manner, jobs: int, backend: str | None
) -> Generator[Record, None, None]:
    """The records of all bundles as they come; the workers must see the folder of the records.

    What a dying worker leaves undone starts again. A bundle that was under way at more deaths than
    `retries` is suspected: its cells go one by one, alone, and what dies so has failed.
    """
    deaths: Counter[int] = Counter()
    waiting = dict(enumerate(bundles))
    with _cluster(jobs, backend):
        while some := {place: b for place, b in waiting.items() if deaths[place] <= manner.retries}:
            under_way: list[int] = []
            try:
                for place, records in _parallel(some, under_way, manner, jobs, backend):
                    del waiting[place]
                    yield from records
            except Exception:
                # Known here alone: what a backend holds back until the end is in the folder.
                for place in [place for place in under_way if place in waiting]:
                    if records := _finished(waiting[place](), manner):
                        del waiting[place]
                        yield from records
                    deaths[place] += 1
                if not under_way:
                    raise
        for call in waiting.values():
            yield from _alone(call(), manner, backend)


def _parallel(
    some: dict[int, Call], under_way: list[int], manner: Manner, jobs: int, backend: str | None
) -> Iterator[tuple[int, list[Record]]]:
    def tasks() -> Iterator[Any]:
        for place, call in some.items():
            under_way.append(place)
            yield delayed(_work)(place, _packed(call(), manner))

    # One task at a time for each worker, so that those under way are those that are suspected.
    several = Parallel(
        n_jobs=jobs,
        pre_dispatch="n_jobs",
        batch_size=1,  # pyright: ignore[reportArgumentType]
        return_as="list" if backend == "ray" else "generator_unordered",
    )
    yield from several(tasks())  # pyright: ignore[reportReturnType]


def _work(place: int, packed: bytes) -> tuple[int, list[Record]]:
    bundle, manner = cloudpickle.loads(packed)
    return place, list(train_bundle(bundle, manner))


def _packed(bundle: Bundle, manner: Manner) -> bytes:
    """As bytes that any process can read: classes out of a person's own file go by value."""
    for name, module in list(sys.modules.items()):
        if name.startswith(OWN_PREFIX):
            cloudpickle.register_pickle_by_value(module)
    return cloudpickle.dumps((bundle, manner))


def _finished(bundle: Bundle, manner: Manner) -> list[Record]:
    """The records of a bundle if all of them are there, or else nothing."""
    records = [manner.records.wrote(cell.key) for cell in bundle.cells]
    return [record for record in records if record] if all(records) else []


def _alone(bundle: Bundle, manner: Manner, backend: str | None) -> Iterator[Record]:
    """Each cell in a worker while nothing else runs: if it dies now, the cell has killed it."""
    for cell in bundle.cells:
        single = Bundle((cell,), bundle.graphs, bundle.own_split)
        try:  # joblib would run one job in this very process
            for _, records in _parallel({0: lambda single=single: single}, [], manner, 2, backend):
                yield from records
        except Exception as error:
            yield write_failure(cell, error, manner.records)


@contextmanager
def _cluster(jobs: int, backend: str | None) -> Iterator[None]:
    """joblib's settings for a backend; a local cluster where dask knows of none."""
    if (module := CLUSTERS.get(backend or "")) and find_spec(module) is None:
        raise ValueError(
            f"`backend` is {backend!r}, which is not installed here; "
            f"pip install 'gmixup[{backend}]'"
        )
    # Set in the workers before they import torch: threads that share a core are slow.
    threads: dict[str, Any] = {"inner_max_num_threads": 1} if backend in (None, "loky") else {}
    with _client(jobs, backend), parallel_config(backend or "loky", n_jobs=jobs, **threads):
        try:
            yield
        except BaseException:
            if threads:
                from joblib.externals.loky import get_reusable_executor

                get_reusable_executor().shutdown(wait=False, kill_workers=True)
            raise


@contextmanager
def _client(jobs: int, backend: str | None) -> Iterator[None]:
    if backend == "ray":
        from ray.util.joblib import register_ray  # pyright: ignore[reportMissingImports]

        register_ray()
    if backend == "dask":
        from distributed import Client, default_client  # pyright: ignore[reportMissingImports]

        try:
            default_client()
        except ValueError:
            with Client(n_workers=jobs, threads_per_worker=1):
                yield
            return
    yield
