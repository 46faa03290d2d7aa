"""The examples of all pages, and which of them do not run as printed."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from fnmatch import fnmatch

from .server import ROOT

DOCS = ROOT / "docs"
FENCED = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
GLOBS = ("*.md", "docs/**/*.md", "*/README.md", "*/*/README.md")
EXCEPTION = re.compile(r"^\| `(\S+\.md)` \| (?:`(.+?)`)? \| (.+) \|$", re.MULTILINE)
# Languages whose blocks a reader runs; others show what is sent, written or printed.
RUN = ("console", "http", "python", "r", "sh", "sql", "ts")
COMMAND = re.compile(
    r"^(\$ )?(aws|cat|cd|curl|docker|export|go|kubectl|npm|npx|pip|python3?|sudo|ticklake) ", re.MULTILINE
)


@dataclass(frozen=True)
class Block:
    page: str
    language: str
    text: str


@dataclass(frozen=True)
class Exempt:
    """A block, or a whole page, that another test runs, or that none does."""

    page: str
    begins: str
    instead: str

    def has(self, block: Block) -> bool:
        is_meant = block.text.startswith(self.begins) if self.begins else block.language in RUN
        return fnmatch(block.page, self.page) and is_meant


def all_blocks() -> list[Block]:
    found = {path.relative_to(ROOT) for pattern in GLOBS for path in ROOT.glob(pattern)}
    pages = sorted(path for path in found if not {"node_modules", "dist"} & set(path.parts))
    return [
        Block(str(page), language, textwrap.dedent(text))
        for page in pages
        for _, language, text in FENCED.findall((ROOT / page).read_text())
    ]


BLOCKS = all_blocks()
EXEMPT = [Exempt(*row) for row in EXCEPTION.findall((DOCS / "testing.md").read_text())]


def blocks_of(page: str) -> list[Block]:
    """All of the page that run as printed, or that show what was printed."""
    return [b for b in BLOCKS if b.page == page and not any(each.has(b) for each in EXEMPT)]
