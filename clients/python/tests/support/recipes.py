"""The blocks of code in the recipes of the documents."""

from __future__ import annotations

import re

from .server import ROOT

RECIPES = ROOT / "docs" / "recipes"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pages() -> list[str]:
    return sorted(page.stem for page in RECIPES.glob("*.md") if page.name != "README.md")


def blocks_of(page: str) -> list[tuple[str, str]]:
    """Language and text of each."""
    return BLOCK.findall((RECIPES / f"{page}.md").read_text())
