"""Arrow tables as pandas frames whose types lose nothing, whatever the rows are."""

from __future__ import annotations

from typing import Any


def _text_type() -> Any:
    """`str`, or in pandas 2.2 the type that became it."""
    import pandas as pd

    try:
        return pd.StringDtype(na_value=float("nan"))
    except TypeError:
        return pd.StringDtype("pyarrow_numpy")


def to_pandas(table: Any) -> Any:
    """Whole numbers are `Int64`, truth values `boolean`, and what pandas has no type for stays Arrow's.

    `attrs` are the metadata of the table.
    """
    import pandas as pd
    import pyarrow as pa

    own = {
        pa.int64(): pd.Int64Dtype(),
        pa.bool_(): pd.BooleanDtype(),
        pa.string(): _text_type(),
    }

    def dtype(arrow_type: Any) -> Any:
        kinds = pa.types
        is_kept = kinds.is_decimal(arrow_type) or kinds.is_date(arrow_type) or kinds.is_list(arrow_type)
        return pd.ArrowDtype(arrow_type) if is_kept else own.get(arrow_type)

    frame = table.to_pandas(types_mapper=dtype, split_blocks=True, ignore_metadata=True)
    notes = table.schema.metadata or {}
    frame.attrs = {name.decode(): text.decode() for name, text in notes.items()}
    return frame
