"""The recipes of the documents, run as they stand there but for the ticker."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .support.recipes import BLOCK, blocks_of, pages
from .support.server import ROOT, Server

PROGRAMS = {"python": [sys.executable, "-"], "sh": ["bash", "-euo", "pipefail", "-s"]}


def blocks() -> list[tuple[str, str, str]]:
    return [
        (f"{page} {number + 1}", language, text)
        for page in pages()
        for number, (language, text) in enumerate(blocks_of(page))
        if language in PROGRAMS
    ]


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


def test_the_readme_of_the_client_runs_as_it_stands(wide_server: Server, key: str, tmp_path: Path) -> None:
    # The option chains have a home of their own.
    examples = [
        text
        for language, text in BLOCK.findall((ROOT / "clients" / "python" / "README.md").read_text())
        if language == "python" and "option_chain" not in text
    ]
    text = "".join(examples).replace("AVQX", "AAA").replace("http://127.0.0.1:8080", wide_server.url)
    env = {
        **os.environ,
        "TICKLAKE_URL": wide_server.url,
        "TICKLAKE_KEY": key,
        "TICKLAKE_CACHE": str(tmp_path),
    }
    # What is only asked there is read as well, where this home has the dataset.
    read = "print(frame.height)\nwith client:\n    print(day.to_polars().height)\n"
    done = subprocess.run([sys.executable, "-"], input=text + read, capture_output=True, text=True, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(examples) == 2 and all(int(line) > 0 for line in done.stdout.split())


def test_the_recipes_that_can_run_here_are_found() -> None:
    assert {name.split()[0] for name, *_ in BLOCKS} == {"pandas", "polars", "duckdb", "curl"}
