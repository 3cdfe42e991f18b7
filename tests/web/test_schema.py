"""What generated requests find: no server error, and answers as the document says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.web.serving import Served

ALL = "examples,coverage,fuzzing,stateful"


@pytest.mark.parametrize(
    ("examples", "phases"), [("3", "fuzzing"), pytest.param("50", ALL, marks=pytest.mark.soak)]
)
def test_generated_requests_find_no_server_error_and_no_answer_that_is_not_documented(
    server: Served, tmp_path: Path, examples: str, phases: str
) -> None:
    server.todo("known")({"steps": ["One", "Two"]}, tool="plan")
    done = subprocess.run(
        [
            sys.executable, "-m", "schemathesis.cli", "run", f"{server.url}/api/openapi.json",
            "--checks", "not_a_server_error,response_schema_conformance,content_type_conformance",
            "--exclude-path", "/api/events", "--max-examples", examples, "--phases", phases, "--seed", "1", "--header", f"Authorization: Bearer {server.token}", "--no-color", "--rate-limit", "150/s",
        ],
        capture_output=True,
        text=True,
        timeout=400,
        cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
