"""POST /predict, asked as Hugging Face's clients do."""

from __future__ import annotations

import pytest
from huggingface_hub import InferenceClient
from huggingface_hub.errors import HfHubHTTPError
from transformers import pipeline

from tests.service.test_serve import PROGRAM, running


@pytest.fixture(scope="module")
def url(encoder_folder):
    """Of a real server with a tiny encoder."""
    with running(PROGRAM, str(encoder_folder)) as server:
        yield f"http://127.0.0.1:{server.port}"


@pytest.mark.parametrize("path", ["", "/", "/predict"])
def test_the_hubs_own_client_is_answered(url, path, encoder_folder):
    title = "主场2-1逆转对手"
    found = InferenceClient(f"{url}{path}").text_classification(title, top_k=2)

    (reference,) = pipeline("text-classification", str(encoder_folder), top_k=2)([title])
    assert [each.label for each in found] == [each["label"] for each in reference]
    assert found[0].score > found[1].score > 0


def test_the_hubs_own_client_is_told_what_is_wrong(url):
    with pytest.raises(HfHubHTTPError) as caught:
        InferenceClient(url).text_classification(" ")
    assert caught.value.response.status_code == 422
    assert caught.value.response.json()["code"] == "blank_title"


def test_each_string_of_a_list_is_a_text_of_its_own(client):
    body = {"inputs": ["股", "球"], "parameters": {"top_k": 1}}
    (stocks,), (sports,) = client.post("/predict", json=body).json()

    assert (stocks["label"], sports["label"]) == ("stocks", "sports")


def test_all_classes_are_listed_up_to_five(client):
    (found,) = client.post("/predict", json={"inputs": "玩"}).json()

    assert found[0]["label"] == "game"
    assert sum(each["score"] for each in found) == pytest.approx(1)
    assert [set(each) for each in found] == [{"label", "score"}] * 3


@pytest.mark.parametrize(
    ("body", "status", "code", "where"),
    [
        ({}, 422, "missing_inputs", "inputs"),
        ([], 422, "not_an_object", "body"),
        ({"inputs": []}, 422, "empty_inputs", "inputs"),
        ({"inputs": 7}, 422, "invalid_inputs", "inputs"),
        ({"inputs": ["股", 7]}, 422, "title_not_a_string", "inputs[1]"),
        ({"inputs": ["股"] * 5}, 413, "too_many_titles", "inputs"),
        ({"inputs": "球" * 21}, 413, "title_too_long", "inputs[0]"),
        ({"inputs": "股", "parameters": 7}, 422, "invalid_parameters", "parameters"),
        ({"inputs": "股", "parameters": {"top_k": "1"}}, 422, "invalid_parameters", "parameters"),
        ({"inputs": "股", "parameters": {"top_k": 0}}, 422, "top_k_out_of_range", "top_k"),
        (
            {"inputs": "股", "parameters": {"function_to_apply": "sigmoid"}},
            422, "invalid_parameters", "parameters",
        ),
    ],
)  # fmt: skip
def test_what_is_not_a_request_is_refused(client, body, status, code, where):
    problem = client.post("/predict", json=body).json()

    assert (problem["status"], problem["code"], problem["where"]) == (status, code, where)


def test_scores_are_the_confidences_that_classify_gives(client):
    (found,) = client.post("/predict", json={"inputs": "股股球"}).json()
    asked = {"titles": ["股股球"], "top_k": 3}
    (result,) = client.post("/v1/classify", json=asked).json()["results"]
    assert [each["score"] for each in found] == [each["score"] for each in result["top_k"]]
    raw = client.post("/v1/classify", json={**asked, "calibrated": False}).json()["results"][0]
    assert found[0]["score"] < raw["score"] - 0.05  # the model's temperature is 2
