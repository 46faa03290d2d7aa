# Runs after the DuckDB snippet: prints `rows` as JSON, times in nanoseconds and each other value in full.
import json


def expression(name, kind):
    column = '"' + name + '"'
    if "TIMESTAMP" in kind:
        return f"epoch_ns({column}) AS {column}"
    if kind == "DATE" or kind.startswith("DECIMAL"):
        return f"CAST({column} AS VARCHAR) AS {column}"
    return column


kinds = [str(kind) for kind in rows.types]
told = rows.project(", ".join(map(expression, rows.columns, kinds)))


def dumped(value, kind):
    is_integer = kind == "BIGINT" or "TIMESTAMP" in kind
    return {"integer": str(value)} if is_integer and value is not None else value


cells = [[dumped(*pair) for pair in zip(row, kinds)] for row in told.fetchall()]
print("\n" + json.dumps({"types": None, "rows": cells}))
