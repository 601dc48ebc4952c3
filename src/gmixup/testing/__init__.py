"""Testing: the checks that every part must pass, ours and other people's.

    from gmixup.testing import check_estimator

    check_estimator(MyEstimator())  # an AssertionError says what is wrong

`ESTIMATOR_CHECKS`, `AUGMENTATION_CHECKS`, `BACKBONE_CHECKS` and `DATASET_CHECKS` have them one by
one, for a test that is parametrised over them.
"""

from gmixup.testing.augmentation import AUGMENTATION_CHECKS, check_augmentation
from gmixup.testing.backbone import BACKBONE_CHECKS, check_backbone
from gmixup.testing.dataset import DATASET_CHECKS, check_dataset
from gmixup.testing.estimator import ESTIMATOR_CHECKS, check_estimator

__all__ = [
    "AUGMENTATION_CHECKS",
    "BACKBONE_CHECKS",
    "DATASET_CHECKS",
    "ESTIMATOR_CHECKS",
    "check_augmentation",
    "check_backbone",
    "check_dataset",
    "check_estimator",
]
