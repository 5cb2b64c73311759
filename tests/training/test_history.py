from training.history import History


def evaluated(*scores: float) -> History:
    return History(evaluations=[{"step": i, "score": s} for i, s in enumerate(scores)])


def test_the_best_is_the_first_of_the_highest_scores():
    assert evaluated(0.5, 0.9, 0.7, 0.9).best == {"step": 1, "score": 0.9}


def test_evaluations_without_a_better_score_are_counted():
    assert evaluated().evaluations_since_best == 0
    assert evaluated(0.5, 0.9).evaluations_since_best == 0
    assert evaluated(0.5, 0.9, 0.7, 0.9).evaluations_since_best == 2
