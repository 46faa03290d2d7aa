# Runs after the polars snippet: prints `frame` as JSON, with its types and each value in full.
import json


def dumped(column):
    if column.dtype == pl.Date:
        return column.dt.to_string("%Y-%m-%d").to_list()
    if isinstance(column.dtype, pl.Datetime):
        return column.dt.to_string("%Y-%m-%dT%H:%M:%S%.9f%:z").to_list()
    if column.dtype.is_integer():
        return [None if value is None else {"integer": str(value)} for value in column]
    return column.to_list()


types = {name: str(dtype) for name, dtype in frame.schema.items()}
rows = list(zip(*(dumped(column) for column in frame)))
print("\n" + json.dumps({"types": types, "rows": rows}))
