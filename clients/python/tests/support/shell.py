"""A folder in which the programs of a page run one after the other, as a reader types them."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from select import select

from .server import CLI, node

PROGRAMS = {
    "python": [sys.executable, "-"],
    "sh": ["bash", "-euo", "pipefail", "-c", '. /dev/stdin\nexport -p > "$EXPORTED"'],
    "r": ["Rscript", "-"],
}
# Commands that last go on beside the shell once they say that they do: a page has another terminal for them.
PROGRAM = """#!/bin/sh
case "$*" in
serve | demo | watch*) ;;
# Without a terminal, passwords come from files and go there.
init*"Our own data") exec {command} "$@" --password-file {password} ;;
"user create"*) exec {command} "$@" --secret-file {log}.secret ;;
*) exec {command} "$@" ;;
esac
log={log}.$$
{command} "$@" > $log 2>&1 < /dev/null & echo $! >> {pids}
until grep -qE 'listening on |Z (done|refused) ' $log; do
  kill -0 $! 2> /dev/null || {{ cat $log; wait $!; exit; }}
  sleep 0.1
done
cat $log
"""
# Only what hangs takes so long.
SECONDS_MAX = 1200
# The address of a server with default settings, as pages have it.
DEFAULT_URL = "http://127.0.0.1:8080"


class Shell:
    """Keeps what is exported from one block to the next. Pages name places that it has elsewhere."""

    def __init__(self, folder: Path, places: dict[str, str], **env: str) -> None:
        self.folder = folder
        self._places = {**places, "/mnt": f"{folder}/mnt", "/srv": f"{folder}/srv"}
        self._pids = folder / ".shell" / "pids"
        # What lasts keeps the one end open for as long as it runs.
        self._all_ended, self._running = os.pipe()
        self._exported = folder / ".shell" / "exported"
        program = folder / ".shell" / "ticklake"
        program.parent.mkdir()
        self._exported.touch()
        program.with_name("password").write_text("correct horse 7 battery")
        named = {
            "command": shlex.join([node(), str(CLI)]),
            "log": program.with_name("log"),
            "password": program.with_name("password"),
            "pids": self._pids,
        }
        program.write_text(PROGRAM.format(**named))
        program.chmod(0o755)
        # A server ends with npm if npm has started it.
        other = ("TICKLAKE_", "npm_")
        known = {name: value for name, value in os.environ.items() if not name.startswith(other)}
        path = f"{program.parent}:{Path(sys.executable).parent}:{known['PATH']}"
        self._env = {**known, "PATH": path, "HOME": str(folder), "EXPORTED": str(self._exported), **env}

    def placed(self, text: str) -> str:
        for name, place in self._places.items():
            text = text.replace(name, place)
        return text

    def run(self, language: str, text: str) -> subprocess.CompletedProcess[str]:
        text = self.placed(text)
        words = ["timeout", str(SECONDS_MAX), "bash", "-c", '. "$EXPORTED"; exec "$@"', "-"]
        return subprocess.run(
            [*words, *PROGRAMS[language]],
            input=text,
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=self._env,
            pass_fds=[self._running],
        )

    def stop(self) -> None:
        """Ends what lasts, and waits for it."""
        for pid in self._pids.read_text().split() if self._pids.exists() else []:
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGTERM)
        os.close(self._running)
        ended = select([self._all_ended], [], [], SECONDS_MAX)[0]
        os.close(self._all_ended)
        assert ended, "a program goes on"


def shape(line: str) -> str:
    """A printed line without what differs from run to run: words with digits, names and widths."""
    line = re.sub(r"[\w.,:+-]*(?:\d|local:)[\w.,:+-]*", "0", line)
    return re.sub(r"\s+", " ", line).strip()


def told(text: str) -> list[tuple[str, list[str]]]:
    """The commands of a block of a terminal, each with the lines that it prints."""
    commands: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            commands.append((line.removeprefix("$ "), []))
        elif line.strip() not in ("", "…"):
            commands[-1][1].append(line)
    return commands
