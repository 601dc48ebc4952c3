"""Settings of the whole suite: one thread a process, properties that do not depend on the day."""

import os

# Before torch is imported, hence above the imports: pytest's workers share the cores already.
for setting in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(setting, "1")

from hypothesis import HealthCheck, settings  # noqa: E402

settings.register_profile(
    "same-every-time",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
# Searches further, with new examples each time: HYPOTHESIS_PROFILE=search pytest.
settings.register_profile("search", deadline=None, max_examples=500, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same-every-time"))
