"""What is odd about the printed tables is said beside the number."""

from gmixup.evidence.published import Cell as Place
from gmixup.evidence.published import published
from gmixup.experiments._oddities import possible, remarks


def test_a_mean_of_counts_is_a_whole_number_of_them():
    assert possible(72.50, 200)
    assert not possible(72.18, 200)  # steps of 0.05
    assert possible(72.19, 200, runs=8)  # 1155 of 1600
    assert all(possible(mean / 100, 1000) for mean in range(4500, 4600))  # steps of 0.01


def test_gmt_is_printed_over_ten_equal_folds_and_not_over_7_1_2():
    folds = {"DD": 117, "MUTAG": 18, "PROTEINS": 111, "IMDB-BINARY": 100, "IMDB-MULTI": 150}
    fifths = {"DD": 236, "MUTAG": 38, "PROTEINS": 223}
    printed = published("gmt").items()
    assert all(possible(score.mean, folds[place.column]) for place, score in printed)
    scores = [(fifths[p.column], score) for p, score in printed if p.column in fifths]
    assert sum(possible(score.mean, graphs) for graphs, score in scores) == 1  # of 12


def test_ogb_prints_the_numbers_of_one_lambda():
    ogb = published("ogb")
    for data, lam in (("molbbbp", "0.25"), ("molbace", "0.15")):
        swept = published(f"lambda-{data}")
        for network in ("gcn", "gcn-virtual", "gin", "gin-virtual"):
            mine = ogb[Place(network, "g-mixup", f"ogbg-{data}")]
            assert (mine.mean, mine.std) == (
                swept[Place(network, "g-mixup", lam)].mean,
                swept[Place(network, "g-mixup", lam)].std,
            )


def test_remarks_name_copies_and_constants():
    pooling, labels = remarks("pooling"), remarks("label-corruption")
    assert (
        "performance: gcn · none · REDDIT-MULTI-5K"
        in pooling[Place("top-k", "none", "REDDIT-MULTI-5K")]
    )
    assert "without any deviation" in labels[Place("REDDIT-BINARY", "none", "40%")]
    assert "bold" in labels[Place("IMDB-BINARY", "g-mixup", "30%")]
    assert "others get" in remarks("performance")[Place("gcn", "none", "REDDIT-BINARY")]
