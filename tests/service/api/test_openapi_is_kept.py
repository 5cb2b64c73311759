"""What the OpenAPI document promises is what happens, for requests that nobody thought of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from service.app import create_app
from service.settings import Settings

from ..test_serve import Server, running

pytestmark = pytest.mark.slow

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[2])
import models.artifact, service.run
from conftest import KeywordRoute
from service.settings import read_settings
models.artifact.find_route = lambda name: KeywordRoute
models.artifact.save(KeywordRoute(), models.artifact.Path(sys.argv[1]))
service.run.serve(read_settings(
    model=sys.argv[1], port=0, feedback="sqlite:///" + sys.argv[1] + ".db", max_title_chars=20))
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("models") / "keywords"
    with running(PROGRAM, str(folder), str(Path(__file__).parents[1])) as server:
        yield server


document = schemathesis.openapi.from_dict(create_app(Settings()).openapi())


@document.parametrize()
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_an_answer_is_one_of_those_promised(case: schemathesis.Case, server: Server):
    base = f"http://127.0.0.1:{server.port}"
    # no schema says which titles are blank, nor which text is a table that has a column of them
    case.call_and_validate(base, timeout=20, excluded_checks=[positive_data_acceptance])
