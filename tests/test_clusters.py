"""Runs on a cluster of two workers, one of which is killed: the same records, nothing twice."""

import json
from contextlib import contextmanager

import pytest

from gmixup import augmentations, sweep
from gmixup.records import Records
from tests.small_runs import GIVEN, OWN, cells, same


@contextmanager
def dask_cluster():
    distributed = pytest.importorskip("distributed", reason="pip install 'gmixup[dask]'")
    local = distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None)
    with local, distributed.Client(local):
        yield


@contextmanager
def ray_cluster():
    ray = pytest.importorskip("ray", reason="pip install 'gmixup[ray]'")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        yield
    finally:
        ray.shutdown()


@pytest.mark.parametrize(
    ("backend", "cluster"), [("dask", dask_cluster), ("ray", ray_cluster)], ids=["dask", "ray"]
)
def test_a_killed_worker_is_survived(tmp_path, backend, cluster):
    (tmp_path / "own.py").write_text(OWN)
    deadly = augmentations.room.find(f"{tmp_path / 'own.py'}:Deadly")(folder=str(tmp_path))
    wanted = [*cells(3), *cells(1, [deadly]), *cells(2, ["drop-edge"])]
    with cluster():
        records = Records(tmp_path / "runs")
        found = sweep.run(wanted, records, jobs=2, backend=backend, **GIVEN)
    assert (tmp_path / "was-here").exists()
    assert [record["status"] for record in found] == ["done"] * 6
    files = sorted((tmp_path / "runs").glob("*.json"))
    assert [file.stem for file in files] == sorted(cell.key for cell in wanted)
    there = [json.loads(records.file(cell.key).read_text()) for cell in wanted]
    alone = sweep.run(wanted, Records(tmp_path / "alone"), **GIVEN)
    assert [same(record) for record in there] == [same(record) for record in alone]
