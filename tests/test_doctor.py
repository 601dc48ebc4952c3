"""The doctor: what is there, what is missing, and how to get it."""

from gmixup import doctor


def test_it_finds_what_is_there(tmp_path):
    (tmp_path / "TU" / "MUTAG").mkdir(parents=True)
    told = "\n".join(doctor.examine(tmp_path))
    assert f"root: {tmp_path}" in told
    assert "found: MUTAG\n" in told
    assert "not there, downloaded when first asked for: " in told
    assert "embedded: one-and-two-hubs, two-and-eight-communities" in told
    assert all(f"  {package} " in told for package in doctor.PACKAGES)


def test_what_is_missing_comes_with_its_remedy(monkeypatch):
    monkeypatch.setattr(doctor, "find_spec", lambda name: None)
    assert doctor._extra(doctor.EXTRAS[1]) == (
        "dask: missing; for runs on a dask cluster: --backend dask: pip install 'gmixup[dask]'"
    )
    assert doctor._version("no-such-package").endswith("pip install no-such-package")
