"""Along lambda
============

Motif densities along lambda, in mixtures and in graphs drawn from them, beside Theorem 1.
"""

from gmixup import GMixup, datasets, theory
from gmixup.experiments.lambda_path import LambdaPath, draw_courses
from gmixup.plots import save_figure

name = "two-and-eight-communities"
path = LambdaPath(settings=GMixup(estimator="histogram", resolution=40), graphs=50, nodes=100)
two, eight = path.settings.fit(datasets.load(name)).graphons
courses = path.courses(two, eight, theory.cut_norm(two, eight).upper)
save_figure(draw_courses({name: courses}), "lambda-path.png")
for motif, course in courses.items():
    print(f"{motif}: {course.mixed[-1]:.3f} to {course.mixed[0]:.3f}, Theorem 1 {course.holds}")
