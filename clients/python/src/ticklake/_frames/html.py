"""Some rows as a table of HTML, for notebooks."""

from __future__ import annotations

from html import escape
from typing import Any


def _row(tag: str, cells: list[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{cell}</{tag}>' for cell in cells)}</tr>"


def html_of(title: str, table: Any, note: str) -> str:
    """The rows of a table of Arrow, if there is one, under its columns and their types."""
    rows: list[str] = []
    if table is not None:
        heads = [
            f"{escape(field.name)}<br><small>{escape(str(field.type))}</small>" for field in table.schema
        ]
        values = [[_text(value) for value in row.values()] for row in table.to_pylist()]
        rows = [_row("th", heads), *(_row("td", cells) for cells in values)]
    body = f"<table>{''.join(rows)}</table>" if rows else ""
    return f"<div><code>{escape(title)}</code>{body}<small>{escape(note)}</small></div>"


def _text(value: Any) -> str:
    return "" if value is None else escape(str(value))
