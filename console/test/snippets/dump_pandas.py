# Runs after the pandas snippet: prints `frame` as JSON, with its types and each value in full.
import json


def dumped(value):
    if isinstance(value, list):
        return value
    if pd.isna(value):
        return None
    if isinstance(value, pd.Timestamp):
        text = value.isoformat(timespec="nanoseconds")
        return text if value.tzinfo else text.removesuffix("T00:00:00.000000000")
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return float(value)
    return {"integer": str(value)}


types = {name: str(dtype) for name, dtype in frame.dtypes.items()}
rows = [[dumped(value) for value in row] for row in zip(*(list(frame[name]) for name in frame))]
print("\n" + json.dumps({"types": types, "rows": rows}))
