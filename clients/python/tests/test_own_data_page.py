"""The page for owners works as printed, from an empty folder to the figures for the invoice."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import ticklake

from .support.pages import BLOCK, DOCS
from .support.server import CLI, Home, Server, node

PAGE = DOCS / "quickstart" / "own-data.md"
# One is of another shell, where the client that is tested here would be installed once more.
STEPS = [(kind, text) for kind, text in BLOCK.findall(PAGE.read_text()) if "pip install" not in text]


def with_program(folder: Path) -> dict[str, str]:
    """The environment of a shell that finds the command by the name that pages give it."""
    program = folder / "bin" / "ticklake"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(node())} {shlex.quote(str(CLI))} "$@"\n')
    program.chmod(0o755)
    known = {name: value for name, value in os.environ.items() if not name.startswith("TICKLAKE_")}
    return {**known, "PATH": f"{program.parent}:{known['PATH']}"}


def test_an_owner_reaches_a_customer_by_the_commands_of_the_page(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    env = with_program(tmp_path)
    printed = ""
    for kind, text in STEPS:
        if text == "ticklake serve\n":
            server = Server(Home(tmp_path / ".ticklake", is_new=False))
            request.addfinalizer(server.stop)
            env["TICKLAKE_URL"] = server.url
            env["TICKLAKE_KEY"] = (tmp_path / "client-key").read_text().strip()
        elif kind == "text":
            assert text in printed
        else:
            program = [sys.executable, "-"] if kind == "python" else ["bash", "-euo", "pipefail", "-s"]
            done = subprocess.run(program, input=text, capture_output=True, text=True, cwd=tmp_path, env=env)
            assert done.returncode == 0, f"{text}\n{done.stderr}"
            printed = done.stdout
    with ticklake.Client(env["TICKLAKE_URL"], key=env["TICKLAKE_KEY"]) as client:
        with pytest.raises(ticklake.APIError):
            client.daily("ABCD", start="2019-01-01", end="2019-12-31").to_arrow()
        with pytest.raises(ticklake.InputError):
            client.ticks("ABCD", "2026-11-20").to_arrow()
