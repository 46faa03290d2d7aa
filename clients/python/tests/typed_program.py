"""A program that is only checked by mypy: it has the types that the package promises, and no others."""

from __future__ import annotations

from datetime import date
from typing import Any

import ticklake


def reads(client: ticklake.Client) -> int:
    query: ticklake.Query = client.ticks(["AAA", "BBB"], (date(2026, 11, 2), None), where={"Price.ge": 1})
    version: int | None = query.version
    paths = query.download("folder")
    told: dict[str, Any] = client.option_chain("AAA", date(2026, 11, 20), strike=(180, None)).info()
    return len(paths) + len(client.bars("AAA").estimate().dataset) + (version or 0) + len(told)


async def reads_by_asyncio(client: ticklake.AsyncClient) -> int:
    columns: tuple[ticklake.Column, ...] = await client.dataset("eq_taq").columns()
    chain: ticklake.AsyncOptionChain = client.option_chain("AAA", at="2026-11-20T11:30:00")
    estimate: ticklake.Estimate = await client.daily().estimate()
    return len(columns) + estimate.rows + len(await chain.info())


def slips() -> None:
    settings: ticklake.ClientOptions = {"max_retries": 1}
    client = ticklake.Client("http://x", "key", **settings)
    ticklake.Client(time_out=3)  # type: ignore[call-arg]
    ticklake.AsyncClient(max_wait="long")  # type: ignore[arg-type]
    client.ticks("AAA", start="2026-11-20", end=5)  # type: ignore[arg-type]
    client.ticks("AAA", "2026-11-20", wher={})  # type: ignore[call-arg]
    client.bars("AAA", market="futures")  # type: ignore[arg-type]
    client.option_chain("AAA", "2026-11-20")["contracts"]  # type: ignore[index]
    client.dataset("eq_taq").read(market="equity")  # type: ignore[call-arg]
