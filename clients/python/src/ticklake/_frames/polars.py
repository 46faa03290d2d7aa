"""Stored bytes as polars frames of the catalogue's types."""

from __future__ import annotations

from typing import Any

from .._core.reading import Decoder, Stored
from ..errors import IntegrityError
from .arrow import open_stream


def _conform(frame: Any, schema: Any) -> Any:
    if frame.columns != schema.names():
        raise IntegrityError(f"The answer has the columns {frame.columns}, not {schema.names()}")
    if frame.schema == schema:
        return frame
    return frame.cast({name: schema[name] for name in schema if frame.schema[name] != schema[name]})


def _series(name: str, column: Any) -> Any:
    """A column of Arrow as a series; of text in codes, its words in the order of the codes."""
    import polars as pl
    import pyarrow as pa

    is_coded = pa.types.is_dictionary(column.type) and column.num_chunks > 0
    if not is_coded:
        return pl.Series(name, column)
    # Several times as fast as a cast, which copies each word.
    unified = column.unify_dictionaries()
    words: Any = pl.from_arrow(unified.chunk(0).dictionary)
    codes: Any = pl.from_arrow(pa.chunked_array([chunk.indices for chunk in unified.chunks]))
    return words.gather(codes).alias(name)


def _of_stream(stored: Stored) -> Any:
    import polars as pl

    table = open_stream(stored).read_all()
    return pl.DataFrame([_series(name, table.column(name)) for name in table.column_names])


def frame_decoder(schema: Any) -> Decoder:
    """Decodes to frames of `schema`, which is polars'."""
    import polars as pl

    def decode(stored: Stored) -> Any:
        frame = pl.read_parquet(stored.source) if stored.format == "parquet" else _of_stream(stored)
        return _conform(frame, schema)

    return Decoder(decode, lambda frame: int(frame.height))


def join_frames(frames: list[Any], schema: Any, limit: int | None) -> Any:
    import polars as pl

    if not frames:
        return pl.DataFrame(schema=schema)
    frame = frames[0] if len(frames) == 1 else pl.concat(frames, rechunk=False)
    return frame if limit is None else frame.head(limit)
