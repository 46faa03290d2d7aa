"""Does what it is told, one line of JSON after the other, and answers with the time that it took."""

import asyncio
import io
import json
import os
import sys
import time

import httpx2
import pandas
import polars
import pyarrow
import pyarrow.ipc
import ticklake

ARROW = "application/vnd.apache.arrow.stream"
http = httpx2.Client(timeout=300)
clients = {}


def client(url, key, cache):
    name = (url, cache)
    if name not in clients:
        server = url.removesuffix("/v1")
        clients[name] = ticklake.Client(server, key, cache=cache or False, timeout=300)
    return clients[name]


def stored_polars(file, columns, where):
    rows = polars.scan_parquet(file).select(columns)
    for column, value in where.items():
        values = value if isinstance(value, list) else [value]
        rows = rows.filter(polars.col(column).is_in(values))
    return rows.collect().height


def ticks_polars(url, key, ticker, date, cache=None):
    return client(url, key, cache).ticks(ticker, date, dataset="eq_taq").to_polars().height


def ticks_pandas(url, key, ticker, date, cache=None):
    return len(client(url, key, cache).ticks(ticker, date, dataset="eq_taq").to_pandas())


def bars_polars(url, key, tickers, dates, cache=None):
    query = client(url, key, cache).bars(tickers, tuple(dates), dataset="eq_taq_1min")
    return query.to_polars().height


def get(url, headers):
    answer = http.get(url, headers=headers)
    answer.raise_for_status()
    return answer


def arrow_bytes(url, key, path):
    return len(get(url + path, {"X-API-KEY": key, "Accept-Encoding": "identity"}).content)


def csv_pages(url, headers):
    """All pages of a walk; the first one alone has a header line."""
    columns = None
    while url:
        answer = get(url, headers)
        frame = polars.read_csv(
            io.BytesIO(answer.content), has_header=columns is None, infer_schema_length=10000
        )
        columns = columns or frame.columns
        frame.columns = columns
        yield frame
        url = answer.links.get("next", {}).get("url")


def csv_pages_polars(url, key, paths):
    headers = {"X-API-KEY": key}
    frames = [frame for path in paths for frame in csv_pages(url + path, headers)]
    return polars.concat(frames, how="vertical_relaxed").height


def roapi(url, sql):
    answer = http.post(url + "/api/sql", content=sql, headers={"Accept": ARROW})
    answer.raise_for_status()
    return answer.content


def roapi_bytes(url, sql):
    return len(roapi(url, sql))


def roapi_polars(url, sql):
    table = pyarrow.ipc.open_stream(pyarrow.py_buffer(roapi(url, sql))).read_all()
    return polars.from_arrow(table).height


def roapi_pandas(url, sql):
    return len(pyarrow.ipc.open_stream(pyarrow.py_buffer(roapi(url, sql))).read_all().to_pandas())


def many(url, key, tickers_and_dates, turns):
    """So many readers at once, each in turn with other rows."""

    async def read(server, ticker, date):
        query = server.ticks(ticker, date, dataset="eq_taq")
        return len(await query.to_arrow())

    async def run():
        address = url.removesuffix("/v1")
        count = 0
        async with ticklake.AsyncClient(address, key, cache=False, timeout=300) as server:
            for _ in range(turns):
                reads = [read(server, ticker, date) for ticker, date in tickers_and_dates]
                count += sum(await asyncio.gather(*reads))
        return count

    return asyncio.run(run())


WORKS = {
    name: work
    for name, work in list(globals().items())
    if callable(work) and getattr(work, "__module__", None) == "__main__"
}

print(json.dumps({"ready": os.getpid(), "polars": polars.__version__, "pandas": pandas.__version__}))
sys.stdout.flush()
for line in sys.stdin:
    task = json.loads(line)
    try:
        start = time.perf_counter()
        result = WORKS[task["work"]](**task["given"])
        answer = {"ms": (time.perf_counter() - start) * 1000, "result": result}
    except Exception as error:  # noqa: BLE001, told to whoever gave the task
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer))
    sys.stdout.flush()
