"""Answers of the service. Made by `npm run build:client` from its schemas."""

# ruff: noqa: E501
# fmt: off

from typing import Literal, NotRequired, TypedDict


class DatasetRow(TypedDict):
    dataset_id: str
    dataset_name: str
    data_group: str
    vendor: str
    dataset_text_id: str

DatasetList = list[DatasetRow]

class QueryFormParameters(TypedDict):
    name: str
    values: list[str]
    pattern: str | None
    default: str | None

class QueryFormVariants(TypedDict):
    dataset_id: str
    dataset_name: str
    parameters: dict[str, str]
    is_entitled: bool

class QueryFormPathForms(TypedDict):
    identifier_column: str | None
    unfilterable_columns: list[str]

class QueryFormSessions(TypedDict):
    name: Literal["regular", "extended", "overnight"]
    start: str
    end: str
    half_day_start: str
    half_day_end: str

class QueryFormTradingCalendarProductGroups(TypedDict):
    roots: list[str]
    days: list[str]

class QueryFormTradingCalendar(TypedDict):
    start: str
    end: str
    irregular_days: list[str]
    product_groups: list[QueryFormTradingCalendarProductGroups]

class QueryFormColumns(TypedDict):
    name: str
    data_type: Literal["string", "integer", "number", "decimal", "boolean", "date", "date-time", "array of string", "array of integer", "array of number"]
    precision: NotRequired[int]
    scale: NotRequired[int]
    operators: list[Literal["eq", "gt", "ge", "lt", "le", "in", "like", "ilike"]]
    values: NotRequired[list[str]]

class QueryFormLimitsJson(TypedDict):
    default: int
    maximum: int

class QueryFormLimitsCsv(TypedDict):
    default: int
    maximum: int

class QueryFormLimitsCsvGzip(TypedDict):
    default: int
    maximum: int

class QueryFormLimitsArrow(TypedDict):
    default: int
    maximum: int

class QueryFormLimitsParquet(TypedDict):
    default: int
    maximum: int

class QueryFormLimits(TypedDict):
    json: QueryFormLimitsJson
    csv: QueryFormLimitsCsv
    csv_gzip: QueryFormLimitsCsvGzip
    arrow: QueryFormLimitsArrow
    parquet: QueryFormLimitsParquet

class QueryFormRules(TypedDict):
    start_date: str
    end_date: str | None
    universe_identifiers: list[str]
    columns: NotRequired[list[str]]

class QueryForm(TypedDict):
    dataset_id: str
    group: str
    segment: str
    path_parameters: list[Literal["trade_date", "identifier"]]
    aliases: list[str]
    parameters: list[QueryFormParameters]
    variants: list[QueryFormVariants]
    required_filters: list[list[str]]
    required_filter_operators: list[Literal["eq", "gt", "ge", "lt", "le", "in", "like", "ilike"]]
    unfilterable_columns: list[str]
    path_forms: list[QueryFormPathForms]
    default_period: str | None
    date_column: str | None
    identifier_columns: list[str]
    root_column: str | None
    time_zone: str
    filter_time_zone: str
    sessions: list[QueryFormSessions]
    half_days: list[str]
    trading_calendar: QueryFormTradingCalendar
    sort_columns: list[str]
    columns: list[QueryFormColumns]
    interval_columns: list[str]
    limits: QueryFormLimits
    is_entitled: bool
    rules: list[QueryFormRules]

class DataScanFormats(TypedDict):
    response_format: str
    page_count_max: int
    byte_count_estimate: int
    seconds_estimate: float | None

class Allowance(TypedDict):
    fits: bool
    requests_left: int | None
    data_returned_left: int | None
    data_scanned_left: int | None

class DataScanMinute(TypedDict):
    requests_left: int | None
    data_returned_left: int | None
    data_scanned_left: int | None

class DataScan(TypedDict):
    dataset_id: str
    dataset_version: int | None
    factors_version: int | None
    rolls_version: int | None
    canonical_request: str
    rows_scanned: int
    bytes_scanned: int
    files_scanned: int | None
    is_exact: bool
    row_count_max: int
    row_count_min: int
    formats: list[DataScanFormats]
    allowance: Allowance
    minute: DataScanMinute

class ExplanationRules(TypedDict):
    dataset_id: str
    dataset_version: str
    start_date: str
    end_date: str | None
    universe_identifiers: list[str]
    columns: NotRequired[list[str]]
    is_of_plan: bool

class ExplanationDecisions(TypedDict):
    part: Literal["dataset", "request", "columns", "identifiers", "dates", "rows"]
    outcome: Literal["allowed", "narrowed", "refused"]
    rules: list[int]
    reason: str
    remedy: str | None

class Explanation(TypedDict):
    dataset_id: str
    status: int
    canonical_request: str | None
    rules: list[ExplanationRules]
    decisions: list[ExplanationDecisions]

class MissingIdentifiers(TypedDict):
    count: int
    of: int
    identifiers: list[str]

class ManifestFiles(TypedDict):
    url: str
    name: str
    row_count: int
    byte_count: int
    sha256: str
    first_partition: str
    last_partition: str

class Manifest(TypedDict):
    dataset_id: str
    dataset_version: int | None
    factors_version: int | None
    window: str | None
    symbols: str | None
    missing: MissingIdentifiers | None
    response_format: str
    canonical_request: str
    row_count: int
    byte_count: int
    rowless_stream: str | None
    expires_at: str
    hint: str | None
    files: list[ManifestFiles]
    allowance: Allowance

class OptionChainSource(TypedDict):
    role: Literal["ticks", "contracts", "greeks"]
    dataset_id: str | None
    dataset_text_id: str
    dataset_version: int | None
    state: Literal["read", "forbidden", "outside_window", "not_published", "not_offered"]

class OptionChainExpiration(TypedDict):
    expiration_date: str
    contract_count: int

class OptionChainContract(TypedDict):
    root: str
    expiration_date: str
    strike: float
    call_put: Literal["C", "P"]
    osi_symbol: str | None
    asid: int | None
    option_style: str | None
    settlement_type: str | None
    multiplier: int | None
    is_weekly: bool | None
    first_trade_date: str | None
    last_trade_date: str | None
    bid_price: float | None
    bid_size: int | None
    bid_time: str | None
    ask_price: float | None
    ask_size: int | None
    ask_time: str | None
    last_trade_price: float | None
    last_trade_size: int | None
    last_trade_time: str | None
    open_interest: int | None
    implied_volatility: float | None
    theoretical_price: float | None
    delta: float | None
    gamma: float | None
    theta: float | None
    vega: float | None
    rho: float | None
    implied_volatility_convergence: str | None

class Pagination(TypedDict):
    offset: int
    limit: int
    next_offset: int | None

class OptionChain(TypedDict):
    underlying: str
    date: str
    at: str
    underlying_bid_price: float | None
    underlying_ask_price: float | None
    underlying_time: str | None
    greeks_date: str | None
    sources: list[OptionChainSource]
    expirations: list[OptionChainExpiration]
    contract_count: int
    contracts: list[OptionChainContract]
    pagination: Pagination

OPTION_CHAIN_CONTRACT = {
    "root": "string",
    "expiration_date": "date",
    "strike": "number",
    "call_put": "string",
    "osi_symbol": "string",
    "asid": "integer",
    "option_style": "string",
    "settlement_type": "string",
    "multiplier": "integer",
    "is_weekly": "boolean",
    "first_trade_date": "date",
    "last_trade_date": "date",
    "bid_price": "number",
    "bid_size": "integer",
    "bid_time": "date-time",
    "ask_price": "number",
    "ask_size": "integer",
    "ask_time": "date-time",
    "last_trade_price": "number",
    "last_trade_size": "integer",
    "last_trade_time": "date-time",
    "open_interest": "integer",
    "implied_volatility": "number",
    "theoretical_price": "number",
    "delta": "number",
    "gamma": "number",
    "theta": "number",
    "vega": "number",
    "rho": "number",
    "implied_volatility_convergence": "string",
}
