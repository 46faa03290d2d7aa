"""The blocks of code in the pages that readers of data have."""

from __future__ import annotations

import re

from .server import ROOT

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DOCS = ROOT / "docs"
NAMES = (
    "quickstart/get-data datasets faq queries symbols adjusted-prices option-chains bulk versions "
    "receipts http errors recipes"
)
PAGES = [*(DOCS / f"{name}.md" for name in NAMES.split()), ROOT / "clients" / "python" / "README.md"]


def blocks_of(language: str) -> list[tuple[str, str]]:
    """The page and the text of each block in that language."""
    return [
        (f"{page.parent.name}/{page.stem}", text)
        for page in PAGES
        for found, text in BLOCK.findall(page.read_text())
        # A program for a file of its own has a test beside the console's snippets.
        if found == language and "sys.argv" not in text
    ]
