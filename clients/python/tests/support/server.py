"""A real server on a home of its own, and the commands of its operator."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[4]
# Built by `npm run test:python`; the sources do as well, and start more slowly.
CLI = os.environ.get("TICKLAKE_PROGRAM", ROOT / "server" / "src" / "cli.ts")


def node() -> str:
    own = ROOT / "node_modules" / ".bin" / "node"
    return str(own) if own.exists() else "node"


class Home:
    """A home with an owner and the account 1."""

    def __init__(self, folder: Path, *, is_new: bool = True) -> None:
        self.folder = folder
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("TICKLAKE_")}
        self.identities: dict[str, int] = {}
        if not is_new:
            return
        password = folder.parent / "password"
        password.write_text("correct horse 7 battery")
        words = ["--email", "o@example.com", "--account", "Tests", "--password-file", str(password)]
        self.run("init", *words)

    def copy(self, folder: Path) -> Home:
        """Another home with the same rows, accounts and keys."""
        shutil.copytree(self.folder, folder)
        return Home(folder, is_new=False)

    def run(self, *words: str) -> Any:
        """What a command answers with."""
        command = [node(), str(CLI), *words, "--home", str(self.folder), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, env=self.env, cwd=ROOT)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(words)}: {done.stdout}{done.stderr}")
        return json.loads(done.stdout.strip().splitlines()[-1])

    def append(self, dataset: str, file: Path) -> int:
        """Publishes the rows of a file beside those that are there; the id of the publication."""
        words = ["--append", "--again"]
        return int(self.run("ingest", dataset, str(file), *words)["publication_id"])

    def roll_back(self, publication: int) -> None:
        self.run("publication", "rollback", str(publication))

    def key(self, identity: int, name: str) -> str:
        """A new key of an account."""
        file = self.folder.parent / f"{name}.key"
        words = ["--identity", str(identity), "--name", name, "--expires-in", "1d"]
        self.run("key", "create", *words, "--secret-file", str(file))
        return file.read_text().strip()

    def account(self, name: str, datasets: list[str], **limits: int) -> str:
        """The key of a new account that may read these datasets within these limits."""
        identity = self.run("identity", "create", "--name", name)["identity_id"]
        self.identities[name] = int(identity)
        for dataset in datasets:
            self.run("rule", "add", "--identity", str(identity), "--dataset", dataset)
        if limits:
            words = [w for k, v in limits.items() for w in (f"--{k.replace('_', '-')}", str(v))]
            self.run("quota", "set", "--identity", str(identity), *words)
        return self.key(identity, name)


class Server:
    """`ticklake serve`, or another command that serves the home, on a free port."""

    def __init__(self, home: Home, command: str = "serve", **settings: str) -> None:
        self.home = home
        env = {**home.env, "PORT": "0", **settings}
        self._process = subprocess.Popen(
            [node(), str(CLI), command, "--home", str(home.folder)],
            stdout=subprocess.PIPE,
            stderr=(home.folder.parent / "server.log").open("a"),
            text=True,
            env=env,
            cwd=ROOT,
        )
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if found := re.search(r"listening on (http://\S+)", line):
                self.url = found[1]
                return
        raise AssertionError("the server ended before it listened")

    def is_running(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()
