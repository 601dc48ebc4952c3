"""The experiment on theorems: numbers of real classes, and the law that they must obey."""

import math

import numpy as np
import torch

from gmixup import Graphon, GraphSet, experiments, theory
from gmixup.experiments.theorems import Theorems, likeliest


def test_both_tables_have_a_row_for_each_set_and_name_what_is_missing(tmp_path):
    sets = ("two-and-eight-communities", "nowhere")
    tables = Theorems(sets=sets, root=tmp_path, resolution=8).run(print)
    assert [[row[0] for row in table.rows] for table in tables] == 2 * [
        ["two-and-eight-communities"]
    ]
    assert tables[0].rows[0][-1] == "yes"
    assert "nowhere is left out" in tables[0].markdown()
    assert experiments.room.find("theorems") is Theorems


def test_the_likeliest_graph_is_told_by_its_chance():
    graphon = Graphon(torch.tensor([[0.9, 0.2], [0.2, 0.1]]))
    star = np.zeros((3, 3))
    star[0, 1:] = star[1:, 0] = 1
    found = likeliest(graphon, GraphSet.of([star, np.zeros((3, 3))]))
    law = graphon.resample(3)
    wanted = [theory.log_probability_of(law, matrix) for matrix in (star, np.zeros((3, 3)))]
    assert math.isclose(found, max(wanted) / math.log(10))
    assert likeliest(graphon.resample(5), GraphSet.of([star])) == -math.inf
