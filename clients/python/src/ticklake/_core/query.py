"""The base of both kinds of queries: tasks, and how parts become a result."""

from __future__ import annotations

import os
import shutil
import tempfile
import warnings
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, Self, TypeVar, cast

from .._frames.arrow import arrow_schema_of, join_tables, table_decoder
from .._frames.library import Library
from .._frames.ohlcv import Naming, naming_of
from ..errors import EmptyResultWarning, InputError, MissingIdentifiersWarning, ReadWarning
from .page_head import Missing, shortened
from .question import Options
from .read import Asking, Question, read_parts
from .reading import Decoder
from .steps import Task
from .target import Target
from .versions import Pin
from .window import window_notes

Scratch = Callable[[], Path]
# The driver of a query.
D = TypeVar("D")


def _remove(folder: str, process: int) -> None:
    # A child that was forked meanwhile ends, too, but the folder is not its own.
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def scratch_folder() -> Generator[Scratch, None, None]:
    """Gives a function that makes a folder at its first call; the folder goes with the context."""
    made: list[tuple[Path, weakref.finalize[..., Any]]] = []

    def folder() -> Path:
        if not made:
            path = tempfile.mkdtemp(prefix="ticklake-")
            made.append((Path(path), weakref.finalize(folder, _remove, path, os.getpid())))
        return made[0][0]

    try:
        yield folder
    finally:
        for _, remove in made:
            remove()


@dataclass(frozen=True, slots=True)
class Plan:
    """A decoder for the parts of a read, and how they are put together."""

    decoder: Decoder
    join: Callable[[list[Any]], Any]


def _asked_again(client: Any, question: Question, pin: Pin) -> Any:
    """A query as another process pickled it."""
    return client._ask(question, pin)


class QueryBase(Generic[D]):
    """A read that has not been sent yet. It is bound to a version by its first answer.

    Nothing is sent before the first method that needs an answer is called; each call reads anew, from the
    cache where that holds what is asked for, and always the same version.
    """

    def __init__(self, driver: D, asking: Asking) -> None:
        self._driver = driver
        self._asking = asking

    def __reduce__(self) -> Any:
        asking = self._asking
        return _asked_again, (asking.client, asking.question, asking.pin)

    @property
    def version(self) -> int | None:
        """The version of the dataset that is read; None before the first answer."""
        return self._asking.pin.versions.get("dataset_version")

    @property
    def dataset(self) -> str | None:
        """The id of the dataset that is read; None before the first answer."""
        target = self._asking.target
        return None if target is None else target.form.dataset_id

    @property
    def window(self) -> str | None:
        """The dates that were read, where the look-back window or the account's rules closed them."""
        return self._asking.told.window if self._asking.told else None

    @property
    def symbols(self) -> str | None:
        """Which companies a ticker of the question meant, by dates, where it meant more than one.

        With `continuous=True`, the tickers that its companies had. As the header `X-Symbols` has them.
        """
        return self._asking.told.symbols if self._asking.told else None

    @property
    def factors_version(self) -> int | None:
        """The version of the adjustment factors, where rows are adjusted on request."""
        return self._asking.pin.versions.get("factors_version")

    @property
    def rolls_version(self) -> int | None:
        """The version of the dataset that ranks contracts, for continuous ones."""
        return self._asking.pin.versions.get("rolls_version")

    @property
    def hint(self) -> str | None:
        """A hint at what was meant, if no row was found and the service knows, or at what the rows lack."""
        return self._asking.told.hint if self._asking.told else None

    @property
    def missing(self) -> Missing | None:
        """Identifiers of a list of which there are no rows, by the last read: how many, and their names.

        They are unknown, have none on these dates, or are not the account's to read; rows that only `where`
        or `limit` left out do not count. None before a read, and where it is not known.
        """
        return self._asking.missing

    @property
    def unadjusted(self) -> tuple[str, ...] | None:
        """Securities among adjusted rows that are not adjusted, as the header `X-Unadjusted` has them.

        Each is a ticker, its ASID if there is one, and the reason. None before a read, of other rows, and of
        files, which do not tell.
        """
        return self._asking.unadjusted

    def __repr__(self) -> str:
        asked = self._asking.question
        name = asked.kind or asked.dataset
        return f"<{type(self).__name__} {name} {', '.join(asked.ids)} version={self.version}>"

    def head(self, n: int = 5) -> Self:
        """A query of the first `n` rows, in the same version; nothing is sent yet.

        As `limit`, it takes one request for rows, of one day and identifier for ticks. What is charged as
        scanned are the row groups that the request finds, whatever `n` is: fewer dates make it less.
        """
        return self._with(limit=min(n, self._asking.question.options.get("limit", n)))

    def _with(self, **options: Any) -> Self:
        """The query with other options, bound to the same version."""
        asked = self._asking.question
        changed = replace(asked, options=cast(Options, {**asked.options, **options}))
        return cast(Self, self._asking.client._ask(changed, self._asking.pin))

    def _named(self, target: Target) -> tuple[Naming, Self]:
        """How its bars become those of `ohlcv`, and the query of the columns that this takes."""
        options = self._asking.question.options
        if options.get("columns"):
            raise InputError("`ohlcv` chooses columns by itself: leave out `columns`")
        naming = naming_of(target, options.get("interval"))
        return naming, self._with(columns=naming.columns, adjustment_factors=False)

    def _identified(self, target: Target) -> Self:
        """The query of its identifiers alone. Raises `InputError` where that would read far more."""
        form = target.form
        if form.path_parameters:
            raise InputError(f"Dataset {form.dataset_id} is read by identifier: name one of daily values")
        columns = [name for name in (form.symbol_column, form.number_column) if name is not None]
        if not columns:
            raise InputError(f"Rows of dataset {form.dataset_id} have no identifiers")
        return self._with(columns=columns)

    def _resolve(self) -> Task[Target]:
        return self._asking.resolve()

    def _parts(self, decoder: Decoder, scratch: Scratch) -> Task[None]:
        return read_parts(self._asking, decoder, scratch)

    def _ids_in(self, target: Target, frame: Any) -> set[str]:
        """The identifiers in a frame of Arrow or polars, as text."""
        if target.id_column is None:
            return set()
        values = frame[target.id_column].unique()
        return {str(value) for value in (values.to_pylist() if hasattr(values, "to_pylist") else values)}

    def _finish(self, target: Target | None = None, found: Iterable[str] = (), depth: int = 3) -> None:
        """Ends a read that found these identifiers; `depth` is how many calls above the program's line is."""
        self._asking.reporter().finish()
        by_rows = target is not None and target.id_column is not None
        missing = self._missing_among(set(found)) if by_rows else self._missing_told()
        self._asking.require_all(missing)
        if missing is not None and missing.count > 0:
            warnings.warn(missing.text, MissingIdentifiersWarning, stacklevel=depth)
        for note in self._notes_of_answer():
            warnings.warn(note, ReadWarning, stacklevel=depth)
        if self.hint is not None and self._asking.told and self._asking.told.is_empty:
            warnings.warn(f"No rows. {self.hint}", EmptyResultWarning, stacklevel=depth)

    def _notes_of_answer(self) -> Iterator[str]:
        asked, told = self._asking.question, self._asking.told
        if told is not None and told.hint is not None and not told.is_empty:
            yield told.hint
        if self._asking.note_of_dataset is not None:
            yield self._asking.note_of_dataset
        if self.symbols is not None and not asked.options.get("continuous"):
            yield f"A ticker meant more than one company on these dates: {self.symbols}"
        if self._asking.target is not None and asked.changes is None:
            form, today = self._asking.target.form, self._asking.session.now().date()
            yield from window_notes(form, asked, self.window, today)
        if self.unadjusted:
            shown = shortened(self.unadjusted, len(self.unadjusted))
            yield f"Rows of some securities are not adjusted: {shown}"

    def _missing_among(self, found: set[str]) -> Missing:
        asked = self._asking.question.ids
        # Numbers may have zeros before them.
        numbers = {int(each) for each in found if each.isdecimal()}
        missing = tuple(
            each for each in asked if each not in found and not (each.isdecimal() and int(each) in numbers)
        )
        return Missing(len(missing), len(asked), missing)

    def _missing_told(self) -> Missing | None:
        """As the service told; with `continuous`, it names others than were asked for."""
        asked = self._asking.question
        told = self._asking.told
        return None if told is None or asked.options.get("continuous") else told.missing

    def _plan(self, target: Target, library: Library) -> Plan:
        return self._polars_plan(target) if library == "polars" else self._arrow_plan(target)

    def _arrow_plan(self, target: Target) -> Plan:
        schema = arrow_schema_of(target)
        return Plan(
            table_decoder(schema),
            lambda parts: join_tables(parts, schema, target.limit, self._notes(target)),
        )

    def _polars_plan(self, target: Target) -> Plan:
        from .._frames import polars as frames
        from .._frames.schema import polars_schema

        schema = polars_schema(target.columns, target.form.time_zone)
        return Plan(
            frames.frame_decoder(schema), lambda parts: frames.join_frames(parts, schema, target.limit)
        )

    def _notes(self, target: Target) -> dict[str, str]:
        notes = {
            "ticklake.dataset_id": target.form.dataset_id,
            "ticklake.dataset_version": str(self.version),
        }
        return {**notes, **({"ticklake.window": self.window} if self.window else {})}
