"""What the pages print to be run gives rows, exactly as printed, on the demo as it is shipped."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from .support.pages import BLOCK, DOCS, PAGES, blocks_of
from .support.server import ROOT, Home, Server, node

PROGRAMS = {
    "python": [sys.executable, "-"],
    "sh": ["bash", "-euo", "pipefail", "-s"],
    "r": ["Rscript", "-"],
}


def require_r() -> None:
    """Skips the test where R or the packages of its examples are missing."""
    load = ["Rscript", "-e", "library(httr2); library(readr)"]
    if not shutil.which("Rscript") or subprocess.run(load, capture_output=True).returncode != 0:
        pytest.skip("R, httr2 or readr is missing")


BLOCKS = [(page, language, text) for language in PROGRAMS for page, text in blocks_of(language)]
REQUESTS = [(page, line) for page, text in blocks_of("http") for line in text.split()]
# Answers and frames of the libraries without rows.
NO_ROWS = re.compile(r'"data":\[\]|"files":\[\]|shape: \(0,|Empty DataFrame|\b0 rows')

# The address of a server with default settings, as pages have it.
README_URL = "http://127.0.0.1:8080"

NOTEBOOK = ROOT / "clients" / "python" / "notebooks" / "first-steps.ipynb"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = Home(tmp_path_factory.mktemp("demo") / "home", is_new=False)
    # Another step of `.ci/run` may have made it.
    kept = Path(os.environ.get("TICKLAKE_KEPT_DEMO", "none"))
    if kept.is_dir():
        shutil.copytree(kept, home.folder)
    running = Server(home, "demo")
    while (home.folder / "demo-unfinished").exists():
        assert running.is_running()
        time.sleep(0.1)
    yield running
    running.stop()


@pytest.fixture(scope="module")
def demo_key(demo: Server) -> str:
    return (demo.home.folder / "demo-key").read_text().strip()


@pytest.mark.parametrize(("language", "text"), [b[1:] for b in BLOCKS], ids=[b[0] for b in BLOCKS])
def test_a_program_runs_as_it_stands(
    demo: Server, demo_key: str, tmp_path: Path, language: str, text: str
) -> None:
    if language == "r":
        require_r()
    env = {
        **os.environ,
        "TICKLAKE_URL": demo.url,
        "TICKLAKE_KEY": demo_key,
        "TICKLAKE_CACHE": str(tmp_path / "cache"),
    }
    done = subprocess.run(
        PROGRAMS[language], input=text, capture_output=True, text=True, cwd=tmp_path, env=env
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout and not NO_ROWS.search(done.stdout)


def test_r_reads_tickers_that_look_like_other_values_as_text() -> None:
    require_r()
    [block] = [text for page, text in blocks_of("r") if page.endswith("/recipes")]
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
    [printed] = [text for page, text in blocks_of("json") if page.endswith("/errors")]
    line = "/v1/data/us-equity/eq-daily-ohlc?TradeDate.ge=18-11-2026"
    status, body = answer_to(line, demo, demo_key)
    assert (status, json.loads(body)) == (422, json.loads(printed))


def test_the_program_of_the_readme_reads_the_demo_beside_it(demo: Server, tmp_path: Path) -> None:
    [program] = [text for kind, text in BLOCK.findall((ROOT / "README.md").read_text()) if kind == "python"]
    (tmp_path / ".ticklake").mkdir()
    (tmp_path / ".ticklake" / "demo").symlink_to(demo.home.folder)
    program = program.replace(README_URL, demo.url)
    done = subprocess.run([sys.executable, "-"], input=program, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout and not NO_ROWS.search(done.stdout)


def test_the_programs_for_typescript_find_rows(demo: Server, demo_key: str, tmp_path: Path) -> None:
    page = (DOCS / "clients" / "typescript.md").read_text()
    printed = "".join(text for kind, text in BLOCK.findall(page) if kind == "ts")
    # A query that stands alone is only made there.
    query = re.compile(r"^(ticklake\..+\));.*$", re.MULTILINE)
    program, query_count = query.subn(r"console.log((await \1.toArray({ limit: 1 })).length);", printed)
    assert query_count == 3
    counts = "some.length, rowCount, files.length"
    program = f"{program.replace(README_URL, demo.url)}\nconsole.log({counts});\n"
    (tmp_path / "read.ts").write_text(program)
    (tmp_path / "node_modules" / "@ticklake").mkdir(parents=True)
    (tmp_path / "node_modules" / "@ticklake" / "client").symlink_to(ROOT / "client")
    env = {**os.environ, "TICKLAKE_KEY": demo_key}
    done = subprocess.run([node(), "read.ts"], capture_output=True, text=True, cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > 10 and not re.search(r"(^|\s)0(\s|$)", done.stdout)
    assert any((tmp_path / "data").iterdir())


def test_the_pages_have_examples_of_each_kind() -> None:
    assert len(BLOCKS) > 20 and len(REQUESTS) > 20
    assert all(page.exists() for page in PAGES)
