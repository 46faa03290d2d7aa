"""Spark's own reader finds in the files of a table the columns that the table is told to have."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from delta_sharing.protocol import DeltaSharingProfile, Table
from delta_sharing.rest_client import DataSharingRestClient
from tests.support import rows

pytest.importorskip("pyspark")


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    settings = {"spark.ui.enabled": "false", "spark.sql.session.timeZone": "UTC"}
    builder = SparkSession.builder.master("local[1]").config(map=settings)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.mark.parametrize(
    ("schema", "name", "due"),
    [("equity", "eq_taq", rows.all_ticks), ("test", "kinds", rows.kinds)],
)
def test_the_files_have_the_schema_of_the_table(
    spark: Any, everything: str, tmp_path: Path, schema: str, name: str, due: Any
) -> None:
    from pyspark.sql.types import StructType

    client = DataSharingRestClient(DeltaSharingProfile.read_from_file(everything))
    answer = client.list_files_in_table(Table(name=name, share="wide", schema=schema))
    for number, file in enumerate(answer.add_files):
        with urlopen(file.url) as body:
            (tmp_path / f"{number}.parquet").write_bytes(body.read())
    frame = spark.read.parquet(str(tmp_path))
    told = StructType.fromJson(json.loads(answer.metadata.schema_string))
    assert [(field.name, field.dataType) for field in frame.schema] == [
        (field.name, field.dataType) for field in told
    ]
    assert frame.count() == len(due())
    for field in told:
        if field.dataType.simpleString() == "timestamp":
            differs = f"unix_micros({field.name}) != {field.name}_ns div 1000"
            assert frame.where(differs).count() == 0
