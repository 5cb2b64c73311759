import copy
from pathlib import Path

from torch import nn

from models.student import StudentClassifier
from models.transformer.low_rank import replace_module, two_layers
from training.compression.reshaping import reshaped

TITLES = ["股市", "球队比赛冠军", ""]


def test_a_factorised_layer_is_written_into_the_config(
    tmp_path: Path, tiny_student: StudentClassifier
):
    network = copy.deepcopy(tiny_student.network)
    name = "encoder.layers.1.feed_forward.widen"
    linear = network.get_submodule(name)
    assert isinstance(linear, nn.Linear)
    replace_module(network, name, two_layers(linear, 5))

    student = reshaped(tiny_student, network)

    assert student.config.ranks == {name: 5}
    assert student.config.layers == tiny_student.config.layers
    student.save_files(tmp_path)
    loaded = StudentClassifier.load_files(tmp_path, student.labels, student.max_length)
    assert loaded.predict_logits(TITLES).tolist() == student.predict_logits(TITLES).tolist()
    assert tiny_student.config.ranks == {}
