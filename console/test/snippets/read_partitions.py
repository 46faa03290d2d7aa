"""Prints what Polars makes of partition files: the type of each time column, and its times in a zone."""
import json
import sys

import polars as pl

zone, *files = sys.argv[1:]
frame = pl.read_parquet(files)
types = {name: str(dtype) for name, dtype in frame.schema.items() if dtype == pl.Datetime}
texts = [
    pl.col(name).dt.convert_time_zone(zone).dt.strftime("%Y-%m-%dT%H:%M:%S%.9f%:z") for name in types
]
twins = all(frame[name].dt.epoch("ns").equals(frame[f"{name}_utc_ns"].alias(name)) for name in types)
print(json.dumps({"types": types, "twins": twins, "rows": frame.select(texts).rows()}))
