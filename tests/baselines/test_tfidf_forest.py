import pytest
from sklearn.ensemble import RandomForestClassifier

from baselines.features import title_columns
from baselines.tfidf_forest import ForestClassifier, ForestSettings, check_trees, train_forest
from models.errors import CorruptArtifact, UsageError

SETTINGS = ForestSettings(trees=12, selected_features=100, table_bits=12, jobs=1)


@pytest.fixture(scope="module")
def model(examples) -> ForestClassifier:
    return train_forest(examples, SETTINGS)


def test_growing_in_steps_gives_the_forest_grown_at_once(model, titles, label_ids):
    matrix = model.pipeline[:-1].transform(title_columns(titles))
    whole = RandomForestClassifier(12, min_samples_leaf=2, random_state=SETTINGS.seed)

    expected = whole.fit(matrix, label_ids).predict_proba(matrix)

    assert model.predict_proba(titles) == pytest.approx(expected, abs=1e-6)


def test_the_number_of_jobs_does_not_change_the_forest(model, examples, titles):
    settings = ForestSettings(trees=12, selected_features=100, table_bits=12, jobs=2)

    other = train_forest(examples, settings)

    assert (other.predict_proba(titles) == model.predict_proba(titles)).all()


def test_leaves_and_features_are_bounded(examples):
    settings = ForestSettings(trees=3, max_leaves=4, selected_features=50, table_bits=12, jobs=1)

    forest = train_forest(examples, settings).pipeline[-1]

    assert forest.n_features_in_ == 50
    assert len(forest.estimators_) == 3
    assert max(tree.get_n_leaves() for tree in forest.estimators_) <= 4


def test_progress_counts_the_trees(examples, titles):
    lines: list[str] = []

    train_forest(examples, SETTINGS, lines.append)

    assert lines == [
        "counting n-grams of 48 titles",
        "growing trees: 0 of 12",
        "growing trees: 10 of 12",
    ]


@pytest.mark.parametrize(
    ("field", "value"),
    [("left_child", 0), ("right_child", 10**6), ("feature", -1), ("feature", 10**6)],
)
def test_a_tree_that_points_nowhere_is_refused(examples, labels, tmp_path, field, value):
    crafted = train_forest(examples, SETTINGS)
    tree = crafted.pipeline[-1].estimators_[7].tree_
    state = tree.__getstate__()
    state["nodes"] = state["nodes"].copy()
    state["nodes"][field][0] = value
    tree.__setstate__(state)
    crafted.save_files(tmp_path)

    with pytest.raises(CorruptArtifact, match="tree 7 points to a node or a column that does not"):
        ForestClassifier.load_files(tmp_path, labels, None)


def test_grown_trees_are_well_formed(model):
    check_trees(model.pipeline[-1])

    assert min(tree.get_n_leaves() for tree in model.pipeline[-1].estimators_) >= 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"trees": 0}, "must be at least 1"),
        ({"max_leaves": 1}, "max_leaves must be at least 2 or 0, not 1"),
        ({"features_per_split": -1}, "features_per_split must be at least 0, not -1"),
        ({"jobs": 0}, "jobs must be at least 1 or -1, not 0"),
        ({"word_ngrams": 0}, "word_ngrams must be at least 1, not 0"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(change, message):
    with pytest.raises(UsageError, match=message):
        ForestSettings(**change)
