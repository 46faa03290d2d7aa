"""The recipes of the documents, run as they stand there but for the ticker."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .support.server import ROOT, Server

RECIPES = ROOT / "docs" / "recipes"
PROGRAMS = {"python": [sys.executable, "-"], "sh": ["bash", "-euo", "pipefail", "-s"]}
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks() -> list[tuple[str, str, str]]:
    found = []
    for page in sorted(RECIPES.glob("*.md")):
        if page.name == "README.md":
            continue
        for number, (language, text) in enumerate(BLOCK.findall(page.read_text())):
            if language in PROGRAMS:
                found.append((f"{page.stem} {number + 1}", language, text))
    return found


BLOCKS = blocks()


@pytest.mark.parametrize(("language", "text"), [b[1:] for b in BLOCKS], ids=[b[0] for b in BLOCKS])
def test_a_recipe_runs_as_it_stands(
    wide_server: Server, key: str, tmp_path: Path, language: str, text: str
) -> None:
    env = {
        **os.environ,
        "TICKLAKE_URL": wide_server.url,
        "TICKLAKE_KEY": key,
        "TICKLAKE_CACHE": str(tmp_path / "cache"),
    }
    done = subprocess.run(
        PROGRAMS[language],
        input=text.replace("AVQX", "AAA"),
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=env,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout or list(tmp_path.iterdir())


def test_the_recipes_that_can_run_here_are_found() -> None:
    assert {name.split()[0] for name, *_ in BLOCKS} == {"pandas", "polars", "duckdb", "curl"}
