"""What the pages print to be run gives rows, exactly as printed, on the demo as it is shipped."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from .support.pages import BLOCKS, COMMAND, EXEMPT, RUN, Block, Exempt, blocks_of
from .support.server import ROOT, Home, Server, node
from .support.shell import DEFAULT_URL, Shell, shape, told
from .support.walks import WALKS


def require_r() -> None:
    """Skips the test where R or the packages of its examples are missing."""
    load = ["Rscript", "-e", "library(httr2); library(readr)"]
    if not shutil.which("Rscript") or subprocess.run(load, capture_output=True).returncode != 0:
        pytest.skip("R, httr2 or readr is missing")


# All but those of the pages for owners, which are told in order.
READ = [b for page in dict.fromkeys(b.page for b in BLOCKS) if page not in WALKS for b in blocks_of(page)]
PROGRAMS = [b for b in READ if b.language in RUN and b.language != "http"]
REQUESTS = [(b.page, line) for b in READ if b.language == "http" for line in b.text.split()]
# Answers and frames of the libraries without rows.
NO_ROWS = re.compile(r'"data":\[\]|"files":\[\]|shape: \(0,|Empty DataFrame|\b0 rows')

SAMPLES = ROOT / "server" / "test" / "recipes" / "samples"
NOTEBOOK = ROOT / "clients" / "python" / "notebooks" / "first-steps.ipynb"


@pytest.fixture(scope="module")
def complete_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A demo's home with the whole market, which no server has."""
    # Another step of `.ci/run` may have made it.
    kept = Path(os.environ.get("TICKLAKE_KEPT_DEMO", "none"))
    if kept.is_dir():
        return kept
    home = Home(tmp_path_factory.mktemp("complete") / "home", is_new=False)
    making = Server(home, "demo")
    while (home.folder / "demo-unfinished").exists():
        assert making.is_running()
        time.sleep(0.1)
    making.stop()
    return home.folder


@pytest.fixture(scope="module")
def demo(complete_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = Home(tmp_path_factory.mktemp("demo") / "home", is_new=False)
    shutil.copytree(complete_home, home.folder)
    running = Server(home, "demo")
    yield running
    running.stop()


@pytest.fixture(scope="module")
def demo_key(demo: Server) -> str:
    return (demo.home.folder / "demo-key").read_text().strip()


def ids(blocks: list[Block]) -> list[str]:
    return [f"{block.page} {block.text.splitlines()[0][:60]}" for block in blocks]


@pytest.mark.parametrize("block", PROGRAMS, ids=ids(PROGRAMS))
def test_a_program_runs_as_it_stands(demo: Server, demo_key: str, tmp_path: Path, block: Block) -> None:
    if block.language == "r":
        require_r()
    (tmp_path / ".ticklake").mkdir()
    (tmp_path / ".ticklake" / "demo").symlink_to(demo.home.folder)
    places = {DEFAULT_URL: demo.url, "<your key>": demo_key}
    env = {"TICKLAKE_URL": demo.url, "TICKLAKE_KEY": demo_key, "TICKLAKE_CACHE": str(tmp_path / "cache")}
    shell = Shell(tmp_path, places, **env)
    printed = run(shell, block)
    shell.stop()
    assert printed or "export" in block.text
    assert not NO_ROWS.search(printed)


def run(shell: Shell, block: Block) -> str:
    """The output of a block, which in a terminal is the one that stands below each command."""
    if block.language != "console":
        return done_by(shell, block.language, block.text).stdout
    for command, lines in told(block.text):
        done = done_by(shell, "sh", command, may_refuse=bool(lines))
        shapes = [shape(line) for line in (done.stdout + done.stderr).splitlines()]
        missing = [line for line in lines if shape(shell.placed(line)) not in shapes]
        assert missing == [], f"{done.stdout}{done.stderr}"
    return "each line"


def done_by(
    shell: Shell, language: str, text: str, *, may_refuse: bool = False
) -> subprocess.CompletedProcess[str]:
    done = shell.run(language, text)
    assert done.returncode in ((0, 2) if may_refuse else (0,)), f"{text}\n{done.stdout}{done.stderr}"
    return done


def is_free(port: int) -> bool:
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with suppress(OSError):
            tried.bind(("127.0.0.1", port))
            return True
        return False


# Of these, `.ci/run` tries a part by the hash of the commit, as of the engines.
PART, PARTS = map(int, os.environ.get("TICKLAKE_PART", "1/1").split("/"))


@pytest.mark.parametrize("page", list(WALKS)[PART - 1 :: PARTS])
def test_an_owner_gets_through_a_page_as_it_stands(
    demo: Server, demo_key: str, complete_home: Path, tmp_path: Path, page: str
) -> None:
    # Servers that choose a port themselves get none of these.
    begin = 20_000 + os.getpid() % 10_000
    port = str(next(port for port in range(begin, 32_000) if is_free(port)))
    url = f"http://127.0.0.1:{port}"
    env = {
        "DEMO": str(complete_home),
        "PORT": port,
        "SAMPLES": str(SAMPLES),
        "TICKLAKE_URL": demo.url,
        "TICKLAKE_KEY": demo_key,
    }
    shell = Shell(tmp_path, {DEFAULT_URL: url, "https://data.example.com": url}, **env)
    printed: list[str] | None = None
    try:
        done_by(shell, "sh", WALKS[page].get("", ""))
        for block in blocks_of(page):
            for begins, commands in WALKS[page].items():
                if begins and block.text.startswith(begins):
                    done_by(shell, "sh", commands)
            if block.language in RUN:
                output = run(shell, block)
                printed = output.splitlines() if block.language == "sh" else None
            elif block.language in ("", "text") and printed:
                assert [line for line in block.text.splitlines() if line not in printed] == [], printed
                printed = None
    finally:
        shell.stop()


def test_r_reads_tickers_that_look_like_other_values_as_text() -> None:
    require_r()
    [block] = [block.text for block in BLOCKS if block.language == "r"]
    [read] = re.findall(r"^texts.*\n^ticks.*$", block, re.MULTILINE)
    answer = r"Ticker,Exchange,Price\nT,F,1.5\nF,T,\nNA,NA,2"
    program = read.replace("resp_body_string(answer)", f'"{answer}"')
    told = f"{program}\ncat(ticks$Ticker, ticks$Exchange, is.na(ticks$Ticker), ticks$Price)"
    done = subprocess.run(["Rscript", "-"], input=told, capture_output=True, text=True)
    assert done.stdout == "T F NA F T NA FALSE FALSE FALSE 1.5 NA 2", done.stderr


def test_the_notebook_runs_as_it_stands(
    demo: Server, demo_key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {"URL": demo.url, "KEY": demo_key, "CACHE": str(tmp_path / "cache")}
    for name, value in names.items():
        monkeypatch.setenv(f"TICKLAKE_{name}", value)
    book = nbformat.read(NOTEBOOK, as_version=4)
    cells = [cell for cell in book.cells if cell.cell_type == "code"]
    assert not any(cell.outputs or cell.execution_count for cell in cells)
    NotebookClient(book, resources={"metadata": {"path": tmp_path}}).execute()
    shown = [output for cell in cells for output in cell.outputs]
    assert not [output for output in shown if output.get("name") == "stderr"]
    pages = [output["data"]["text/html"] for output in shown if "data" in output]
    assert "ClosePrice<br>" in pages[0]
    assert re.search(r"Charged: at most 2 requests, [\d,]+ bytes scanned", pages[0])
    assert "DailyVolume" in pages[1] and not NO_ROWS.search(pages[1])
    assert re.search(r"[1-9]\d+ bars, [1-9]\d* trades", shown[-1]["text"])


def answer_to(line: str, demo: Server, key: str) -> tuple[int, str]:
    """The status and the body."""
    request = urllib.request.Request(demo.url + line, headers={"X-API-KEY": key})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


@pytest.mark.parametrize("line", [r[1] for r in REQUESTS], ids=[r[0] for r in REQUESTS])
def test_a_request_finds_rows_as_it_stands(demo: Server, demo_key: str, line: str) -> None:
    status, body = answer_to(line, demo, demo_key)
    assert status == 200, body
    assert json.loads(body) and not NO_ROWS.search(body)


def test_the_answer_that_the_page_of_errors_prints_is_the_one_that_comes(demo: Server, demo_key: str) -> None:
    [printed] = [b.text for b in BLOCKS if b.page == "docs/errors.md" and b.language == "json"]
    line = "/v1/data/us-equity/eq-daily-ohlc?TradeDate.ge=18-11-2026"
    status, body = answer_to(line, demo, demo_key)
    assert (status, json.loads(body)) == (422, json.loads(printed))


def test_the_program_of_the_readme_reads_the_demo_beside_it(demo: Server, tmp_path: Path) -> None:
    [program] = [b.text for b in BLOCKS if b.page == "README.md" and b.language == "python"]
    (tmp_path / ".ticklake").mkdir()
    (tmp_path / ".ticklake" / "demo").symlink_to(demo.home.folder)
    program = program.replace(DEFAULT_URL, demo.url)
    done = subprocess.run([sys.executable, "-"], input=program, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout and not NO_ROWS.search(done.stdout)


def test_the_programs_for_typescript_find_rows(demo: Server, demo_key: str, tmp_path: Path) -> None:
    printed = "".join(block.text for block in BLOCKS if block.language == "ts")
    # A query that stands alone is only made there.
    query = re.compile(r"^(ticklake\..+\));.*$", re.MULTILINE)
    program, query_count = query.subn(r"console.log((await \1.toArray({ limit: 1 })).length);", printed)
    assert query_count == 3
    counts = "some.length, rowCount, files.length"
    program = f"{program.replace(DEFAULT_URL, demo.url)}\nconsole.log({counts});\n"
    (tmp_path / "read.ts").write_text(program)
    (tmp_path / "node_modules" / "@ticklake").mkdir(parents=True)
    (tmp_path / "node_modules" / "@ticklake" / "client").symlink_to(ROOT / "client")
    env = {**os.environ, "TICKLAKE_KEY": demo_key}
    done = subprocess.run([node(), "read.ts"], capture_output=True, text=True, cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > 10 and not re.search(r"(^|\s)0(\s|$)", done.stdout)
    assert any((tmp_path / "data").iterdir())


def test_the_pages_have_examples_of_each_kind() -> None:
    assert len(PROGRAMS) > 20 and len(REQUESTS) > 20
    assert all(blocks_of(page) for page in WALKS), "a page for owners has moved"
    hidden = [b for b in BLOCKS if b.language not in RUN and COMMAND.search(b.text)]
    assert hidden == [], "commands are of the language sh"


@pytest.mark.parametrize("exempt", EXEMPT, ids=lambda exempt: f"{exempt.page} {exempt.begins[:40]}")
def test_a_block_that_does_not_run_here_is_there_and_says_why(exempt: Exempt) -> None:
    assert any(exempt.has(block) for block in BLOCKS)
    for test in re.findall(r"`([\w./-]+\.(?:py|sh|ts))`", exempt.instead):
        assert (ROOT / test).exists(), test
