"""A question from its words to the parts of its answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from ..errors import InputError, MissingIdentifiersError, NotCachedError
from ..progress import Reporter
from .answers import DataScan, Explanation
from .bulk import Manifest, Source, download_files, emit_files, start_held
from .catalogue import choose_dataset, read_form, variant_of
from .exchange import Context, Request, ask_json, exchange, understood
from .page_head import Missing, PageHead, page_head
from .pages import Page, read_page, walk
from .question import Dates, Days, Options, days_between, ids_of, require_known, value_text
from .reading import Decoder, Reading, pinned
from .session import Session
from .steps import Task
from .target import Target, changes_target, target_of
from .versions import Pin, versions_in

if TYPE_CHECKING:
    from .client import ClientBase


@dataclass(frozen=True, slots=True)
class Question:
    """A question. `kind` is ticks, bars or daily, or None where `dataset` is named."""

    kind: str | None
    dataset: str | None
    ids: tuple[str, ...]
    days: Days | None
    options: Options
    changes: tuple[int, int | None] | None = None


def question(
    kind: str | None,
    dataset: str | None,
    ids: Any,
    dates: Dates | None,
    options: Options,
) -> Question:
    """Raises `InputError` before anything is sent."""
    require_known(options, Options.__optional_keys__)
    days = days_between(dates, options)
    if kind == "ticks" and days is None:
        raise InputError("Ticks need `dates`, or `start` and `end`")
    return Question(kind, dataset, ids_of(ids), days, options)


@dataclass(frozen=True, slots=True)
class Estimate:
    """The size of a read. Numbers are exact for files (`is_exact`).

    Otherwise `rows`, `requests` and `scanned_bytes`, of all requests together, are the most that there can
    be, and `bytes`, what is sent for them, is an estimate. `fits` is whether the limits of the month leave
    room for that, and `seconds` the time that the server takes for them by its latest pages; None if unknown.
    """

    dataset: str
    version: int
    rows: int
    bytes: int
    requests: int
    scanned_bytes: int | None
    fits: bool | None
    is_exact: bool
    seconds: float | None = None


@dataclass
class Asking:
    """A question and what is known of its answer by now."""

    client: ClientBase[Any, Any]
    session: Session
    question: Question
    reporter: Callable[[], Reporter]
    pin: Pin
    target: Target | None = None
    # The first answer of the last read.
    told: PageHead | Manifest | None = None
    missing: Missing | None = None
    unadjusted: tuple[str, ...] | None = None
    # A note for the reader, such as that another dataset is read.
    note_of_dataset: str | None = None

    def note(self, told: PageHead | Manifest) -> None:
        """Keeps what the first answer tells of the question, before its rows are handed out.

        Raises `MissingIdentifiersError` for a strict read that lacks some.
        """
        self.told = told
        self.unadjusted = () if isinstance(told, PageHead) and self.is_adjusted else None
        if told.missing is not None and not self.question.options.get("continuous"):
            self.require_all(told.missing)

    def note_page(self, head: PageHead) -> None:
        """Keeps what each page tells of its own rows."""
        if head.unadjusted is not None:
            told = dict.fromkeys([*(self.unadjusted or ()), *head.unadjusted.split(", ")])
            self.unadjusted = tuple(told)

    @property
    def is_adjusted(self) -> bool:
        return self.target is not None and self.target.form.variant.get("adjusted") == "true"

    def require_all(self, missing: Missing | None) -> None:
        """Raises `MissingIdentifiersError` for a strict read that lacks some, or where nobody knows."""
        self.missing = missing
        if not self.question.options.get("strict"):
            return
        if missing is None:
            raise MissingIdentifiersError("Nobody tells which of the identifiers have no rows", ())
        if missing.count > 0:
            raise MissingIdentifiersError(missing.text, missing.names)

    def resolve(self) -> Task[Target]:
        """What to send, from the catalogue; asked once."""
        if self.target is None:
            self.target, self.note_of_dataset = yield from _resolve(self.session, self.question)
        return self.target

    def reading(self, target: Target, decoder: Decoder) -> Reading:
        return Reading(self.session, self.reporter(), target.form.dataset_id, self.pin, decoder)


def _resolve(session: Session, asked: Question) -> Task[tuple[Target, str | None]]:
    context = Context(asked.dataset)
    options = asked.options
    name, note = options.get("dataset") or asked.dataset, None
    if name is None:
        assert asked.kind is not None
        market = options.get("market", "equity")
        name, note = yield from choose_dataset(session, context, asked.kind, market)
    form = yield from read_form(session, context, name)
    wanted = {"adjusted": options.get("adjusted"), "aggregation_logic": options.get("aggregation_logic")}
    chosen = variant_of(
        form, {name: value_text(value) for name, value in wanted.items() if value is not None}
    )
    if chosen != form.dataset_id:
        form = yield from read_form(session, context, chosen)
    if asked.changes is not None:
        return changes_target(form, *asked.changes, options), note
    return target_of(form, asked.ids, asked.days, options), note


def _first_page(reading: Reading, target: Target) -> Task[tuple[str, Page | None]]:
    """Its path and itself; None where it is not in the cache, and files may be, of a client offline."""
    limit = target.limit
    if limit is not None:
        limit = min(limit, target.form.page_rows.get(target.format, limit))
    assert target.page is not None
    limits = [f"limit={limit}"] if limit is not None else []
    path = pinned(reading, target.page, f"response_format={target.format}", *limits)
    # The head of the first page tells whether it is the only one; files are better where it is not.
    whole_only = target.bulk is not None and target.prefers_files
    try:
        return path, (yield from read_page(reading, path, target.format, whole_only=whole_only))
    except NotCachedError:
        if target.bulk is None:
            raise
        return path, None


def read_parts(asking: Asking, decoder: Decoder, scratch: Callable[[], Path]) -> Task[None]:
    """Emits the parts of the answer, in order. `scratch` gives a folder for files without a cache."""
    target = yield from asking.resolve()
    reading = asking.reading(target, decoder)
    has_pages = target.format in target.form.page_rows or target.bulk is None
    if target.page is not None and has_pages:
        path, page = yield from _first_page(reading, target)
        if page is not None and page.is_read:
            asking.note(page.head)
            yield from walk(reading, path, page, target, asking.note_page)
            return
    assert target.bulk is not None
    source = Source(reading, target.bulk, target.repeated)
    early = yield from start_held(source)
    manifest = yield from source.manifest()
    asking.note(manifest)
    yield from emit_files(source, manifest, scratch, early)


def download(asking: Asking, folder: Path) -> Task[None]:
    """Emits the paths of the files of the answer, in `folder`."""
    target = yield from asking.resolve()
    if target.bulk is None:
        raise InputError("`sort` and `limit` do not go with files")
    reading = asking.reading(target, _NO_DECODER)
    source = Source(reading, target.bulk, target.repeated)
    manifest = yield from source.manifest()
    asking.note(manifest)
    asking.require_all(manifest.missing)
    folder.mkdir(parents=True, exist_ok=True)
    yield from download_files(source, manifest, folder)


_NO_DECODER = Decoder(lambda stored: None, lambda part: 0)


def estimate(asking: Asking) -> Task[Estimate]:
    """What the answer comes to, without reading it: one request."""
    target = yield from asking.resolve()
    reading = asking.reading(target, _NO_DECODER)
    if target.scan is None:
        if target.bulk is None:
            raise InputError("There is no estimate of changes")
        manifest = yield from Source(reading, target.bulk, target.repeated).manifest()
        return _estimate_files(reading.dataset, manifest)
    path = f"/{pinned(reading, target.scan, f'response_format={target.format}')}"
    answer = yield from ask_json(asking.session, reading.context, path)
    with understood():
        asking.pin.bind(versions_in(answer), reading.dataset)
        return _estimate_pages(target, answer)


def _one_page(target: Target) -> tuple[str, list[str]]:
    """The path of the one data request, and its parameters."""
    if target.page is None or target.scan is None:
        raise InputError("Ask about one request for rows: of one day and one identifier")
    path, _, query = target.page.partition("?")
    return path, [part for part in query.split("&") if part]


def explain(asking: Asking) -> Task[Explanation]:
    """Which rules decide about the read: one request."""
    target = yield from asking.resolve()
    reading = asking.reading(target, _NO_DECODER)
    path, parameters = _one_page(target)
    asked = pinned(reading, f"/{path}/explain?{'&'.join(parameters)}")
    answer: Explanation = yield from ask_json(asking.session, reading.context, asked)
    return answer


def count(asking: Asking) -> Task[int]:
    """The exact number of rows, whatever limit the read has: one request."""
    target = yield from asking.resolve()
    if target.scan is None:
        return (yield from estimate(asking)).rows
    reading = asking.reading(target, _NO_DECODER)
    path, parameters = _one_page(target)
    kept = [part for part in parameters if not part.startswith("limit=")]
    asked = pinned(reading, f"/{path}?{'&'.join(kept)}", "count=exact", "limit=1", "response_format=csv")
    reply = yield from exchange(asking.session, reading.context, Request(asking.session.url(asked), {}))
    asking.pin.bind(page_head(reply.head).versions, reading.dataset)
    with understood():
        return int(reply.head.headers["x-pagination-total"])


# Parameters that choose a page, or bars that groups take the place of.
_OF_PAGES = ("columns=", "sort=", "interval=", "adjustment_factors=")


def aggregate(
    asking: Asking, select: Sequence[str], by: Sequence[str], interval: str | None
) -> Task[list[dict[str, Any]]]:
    """Groups of the rows, page by page, in the version of an estimate, which comes first."""
    yield from estimate(asking)
    target = yield from asking.resolve()
    reading = asking.reading(target, _NO_DECODER)
    path, parameters = _one_page(target)
    groups = {"select": ",".join(select), "by": ",".join(by), "interval": interval}
    own = urlencode({name: value for name, value in groups.items() if value})
    kept = [part for part in parameters if not part.startswith(_OF_PAGES)]
    rows: list[dict[str, Any]] = []
    offset: int | None = 0
    while offset is not None:
        asked = pinned(reading, f"/{path}/aggregate?{'&'.join([*kept, own])}", f"offset={offset}")
        page = yield from ask_json(asking.session, reading.context, asked)
        with understood():
            rows += page["data"]
            offset = page["pagination"]["next_offset"]
    return rows


def _estimate_pages(target: Target, answer: DataScan) -> Estimate:
    """From the answer of `/data-scan`, which is about all rows, whatever `limit` the read has."""
    whole: int = answer["row_count_max"]
    rows = whole if target.limit is None else min(whole, target.limit)
    own = {row["response_format"]: row for row in answer["formats"]}[target.format]
    requests = max(1, -(-rows // max(1, target.form.page_rows.get(target.format, rows))))
    fits = (answer.get("allowance") or {}).get("fits")
    return Estimate(
        dataset=answer["dataset_id"],
        version=answer["dataset_version"] or 0,
        rows=rows,
        bytes=own["byte_count_estimate"] * rows // max(1, whole),
        requests=requests,
        # Each page scans as much as the first one.
        scanned_bytes=answer["bytes_scanned"] * requests,
        fits=fits if fits or rows == whole else None,
        is_exact=False,
        seconds=own["seconds_estimate"] and own["seconds_estimate"] * rows / max(1, whole),
    )


def _estimate_files(dataset: str, manifest: Manifest) -> Estimate:
    return Estimate(
        dataset=dataset,
        version=manifest.versions["dataset_version"],
        rows=manifest.row_count,
        bytes=manifest.byte_count,
        requests=len(manifest.files),
        scanned_bytes=None,
        fits=None if manifest.allowance is None else manifest.allowance["fits"],
        is_exact=True,
    )
