/**
 * The first stages of a data request. Its text becomes a `DataRequest`: only the grammar is judged,
 * all problems of one request together. Then its path and variant parameters choose the dataset.
 */
import type { AggregationLogic } from '@ticklake/market/conditions.ts';
import { SESSION_NAMES, type SessionName } from '@ticklake/market/sessions.ts';
import { editDistance } from '../base/edit-distance.ts';
import { ApiError, type Problem } from '../base/errors.ts';
import type { Catalog, Dataset, PathShape, Variant } from '../catalog/dataset.ts';
import { INTERVAL_NAMES, type Interval } from '../catalog/interval.ts';
import { isOperator, type Operator, operatorNames, takes } from '../engine/operators.ts';
import type { Format } from '../formats/format.ts';
import { FORMATS } from '../formats/formats.ts';
import { NOT_ACCEPTABLE } from './accepted-format.ts';
import type { Period } from './literals.ts';
import { decodePercent, type QueryParameter, splitValueList } from './query-string.ts';
import { alternatives, problemAt } from './request-problem.ts';
import type { DataRequestLimits } from './settings.ts';
import {
  type AskedAdjustment,
  type AskedVersion,
  aggregationWords,
  readAdjustment,
  readAskedVersion,
  readColumns,
  readPagePlace,
  readParameters,
  readPeriod,
  readResponseFormat,
  readSample,
  readSort,
  type SeparatedParameters,
  type SortField,
  SYMBOL_CHOICES,
} from './standard-parameters.ts';

export interface DataRequest {
  readonly group: string;
  readonly segment: string;
  /** Decoded segments after the dataset's. */
  readonly pathParameters: readonly string[];
  readonly filters: readonly RequestFilter[];
  readonly sort: readonly SortField[];
  /** Null: all columns. */
  readonly columns: readonly string[] | null;
  /** The rows of a million that are wanted; null: all. */
  readonly sample: number | null;
  readonly offset: number;
  readonly limit: number;
  readonly responseFormat: Format;
  /** Null: the current one. */
  readonly version: AskedVersion | null;
  /** The next five are null when the request does not say. */
  readonly adjusted: boolean | null;
  readonly aggregationLogic: AggregationLogic | null;
  readonly interval: Interval | null;
  readonly session: SessionName | null;
  readonly period: Period | null;
  readonly adjustment: AskedAdjustment;
  /** Version of the dataset that ranks contracts; null: the current one. */
  readonly rollsVersion: number | null;
  /** True if the number of rows of all pages is requested. */
  readonly countsRows: boolean;
  /** True if a signed receipt is requested. */
  readonly receipt: boolean;
  /** True if tickers that meant more than one company on the dates are refused. */
  readonly strictSymbols: boolean;
  /** True if a ticker stands for its company, through all of that company's tickers. */
  readonly followsCompanies: boolean;
  /** The standard parameters that are given, with their texts. */
  readonly parameterTexts: ReadonlyMap<string, string>;
}

/** A request without parameters, for a dataset yet to be named. */
export const EVERYTHING: Omit<DataRequest, 'group' | 'segment'> = {
  ...{ pathParameters: [], filters: [], sort: [], columns: null, offset: 0, limit: 0 },
  responseFormat: FORMATS[0],
  ...{ sample: null, version: null, adjusted: null, aggregationLogic: null },
  ...{ interval: null, session: null, period: null },
  adjustment: { asOf: null, adjustments: 'all', withFactors: false, factorsVersion: null },
  ...{ rollsVersion: null, countsRows: false, receipt: false },
  ...{ strictSymbols: false, followsCompanies: false },
  parameterTexts: new Map(),
};

export interface DataRequestInput {
  readonly group: string;
  readonly segment: string;
  /** Raw, percent-encoded segments after the dataset's. */
  readonly pathParameters: readonly string[];
  /** Raw, without its `?`; '' if there is none. */
  readonly queryString: string;
  /** The header that chooses the format where the query does not. */
  readonly accept?: string | undefined;
  /** Values allowed for `response_format`; absent: the name of any page format. */
  readonly formats?: ReadonlyMap<string, Format>;
}

function readPathParameters(raw: readonly string[], problems: Problem[]): string[] {
  const names = Object.values(PATH_PARAMETERS).find(({ length }) => length === raw.length);
  return raw.map((segment, i) => {
    const decoded = decodePercent(segment);
    if ('text' in decoded) return decoded.text;
    const name = names?.[i] ?? `segment_${i + 1}`;
    problems.push(problemAt(['path', name], decoded.fault.type, decoded.fault.msg, segment));
    return '';
  });
}

/**
 * Reads a request of these parameters. Throws an ApiError 'invalid' with all problems of the
 * request's grammar, and 'not acceptable' where there is none but no format that is accepted.
 */
export function readDataRequest(
  { group, segment, accept, formats, ...input }: DataRequestInput,
  { standard: given, filters }: SeparatedParameters,
  limits: DataRequestLimits,
): DataRequest {
  const { problems } = given;
  const pathParameters = readPathParameters(input.pathParameters, problems);
  const acceptable = readResponseFormat(given, accept, formats);
  const responseFormat = acceptable ?? FORMATS[0];
  const request: DataRequest = {
    ...{ group, segment, pathParameters, responseFormat },
    filters: readFilters(filters, limits, problems),
    sort: readSort(given, limits),
    columns: readColumns(given),
    sample: readSample(given),
    ...readPagePlace(given, responseFormat, limits),
    version: readAskedVersion(given),
    adjusted: given.flag('adjusted'),
    aggregationLogic: given.word('aggregation_logic', aggregationWords(limits)),
    interval: given.choice('interval', INTERVAL_NAMES),
    session: given.choice('session', SESSION_NAMES),
    period: readPeriod(given),
    adjustment: readAdjustment(given),
    rollsVersion: given.version('rolls_version'),
    countsRows: given.choice('count', ['exact']) !== null,
    receipt: given.flag('receipt') ?? false,
    strictSymbols: given.choice('symbols', SYMBOL_CHOICES) === 'strict',
    followsCompanies: given.flag('continuous') ?? false,
    parameterTexts: given.texts,
  };
  if (problems.length > 0) throw new ApiError('invalid', problems);
  if (acceptable === null) throw new ApiError('not acceptable', NOT_ACCEPTABLE);
  return request;
}

/** Reads a data request. Throws as `readDataRequest` does. */
export function parseDataRequest(input: DataRequestInput, limits: DataRequestLimits): DataRequest {
  return readDataRequest(input, readParameters(input.queryString, {}), limits);
}

/** The variant of a request that does not choose one. */
export const DEFAULT_VARIANT = {
  adjusted: false,
  aggregationLogic: 'vendor_default',
} as const satisfies Variant;

/**
 * The datasets of a request's segment that are of the variant that it asks for, or of none. In
 * place of the segment, the text id or the id of a dataset chooses its variant, too.
 */
function variantsAsked(request: DataRequest, catalog: Catalog): readonly Dataset[] {
  const { group, segment } = request;
  const named = catalog.byTextId(segment) ?? catalog.byId(segment);
  const isNamed = named?.group === group && catalog.bySegment(group, segment).length === 0;
  const usual = { ...DEFAULT_VARIANT, ...(isNamed && named.variant) };
  const adjusted = request.adjusted ?? usual.adjusted;
  const aggregationLogic = request.aggregationLogic ?? usual.aggregationLogic;
  return (isNamed ? [named] : catalog.bySegment(group, segment)).filter(
    ({ variant }) =>
      (variant.adjusted ?? adjusted) === adjusted &&
      (variant.aggregationLogic ?? aggregationLogic) === aggregationLogic,
  );
}

/**
 * The dataset that the path and the variant parameters name; without them the one with raw prices
 * and the vendor's aggregation. A variant parameter that the segment does not have chooses nothing
 * (the planner refuses it). Throws an ApiError 'not found' where there is no such dataset.
 */
export function chooseDataset(request: DataRequest, catalog: Catalog): Dataset {
  const { pathParameters } = request;
  const dataset = variantsAsked(request, catalog).find(
    ({ pathShape }) => PATH_PARAMETERS[pathShape].length === pathParameters.length,
  );
  if (!dataset || pathParameters.includes('')) throw unknownPath(request, catalog);
  return dataset;
}

const plainName = (name: string) => name.toLowerCase().replaceAll('_', '-');

/** The datasets that have a name, however it is written: as id, text id or segment. */
export function datasetsNamed({ datasets }: Catalog, name: string): readonly Dataset[] {
  const asked = plainName(name);
  return datasets.filter(({ datasetId, textId, segment, shortSegment }) =>
    [datasetId, textId, segment, shortSegment].map(plainName).includes(asked),
  );
}

/** Characters of a name that may be wrong: one in four, and no more than two. */
const mistypedMax = (name: string) => Math.min(2, Math.floor(name.length / 4));

/** The datasets whose name is mistyped the least; none if all are other names. */
function datasetsMistyped({ datasets }: Catalog, name: string): readonly Dataset[] {
  const asked = plainName(name);
  const stepsMax = mistypedMax(asked);
  const found = datasets.flatMap((dataset) =>
    [dataset.textId, dataset.segment, dataset.shortSegment]
      .map(plainName)
      // Long texts of a client are not compared at all.
      .filter(({ length }) => Math.abs(length - asked.length) <= stepsMax)
      .map((legal) => ({ dataset, steps: editDistance(asked, legal) })),
  );
  const least = Math.min(stepsMax, ...found.map(({ steps }) => steps));
  return found.filter(({ steps }) => steps === least).map(({ dataset }) => dataset);
}

/** Hints at the path that may have been meant, if a dataset has such a name. */
function unknownPath({ group, segment }: DataRequest, catalog: Catalog): ApiError {
  const named = datasetsNamed(catalog, segment);
  const alike = named.length > 0 ? named : datasetsMistyped(catalog, segment);
  const nearest = alike.find((each) => each.group === group) ?? alike[0];
  if (!nearest) return new ApiError('not found', 'Not Found');
  const parameters = PATH_PARAMETERS[nearest.pathShape].map((name) => `/{${name}}`);
  const path = `/data/${nearest.group}/${nearest.segment}${parameters.join('')}`;
  const which = named.length > 0 ? 'this dataset' : `${nearest.textId}, whose name is the nearest,`;
  return new ApiError('not found', 'Not Found', `The path of ${which} is ${path}`);
}

/**
 * Chooses the dataset of a request whose path ends with the segment, whatever the dataset's own
 * path has.
 */
export function chooseBulkDataset(request: DataRequest, catalog: Catalog): Dataset {
  const [dataset] = variantsAsked(request, catalog);
  if (!dataset) throw unknownPath(request, catalog);
  return dataset;
}

export interface RequestFilter {
  /** The parameter's name as given: `Column` or `Column.operator`. */
  readonly name: string;
  readonly column: string;
  /** Null when none is given, which means `eq`. */
  readonly operator: Operator | null;
  /** The members of the list, where the operator takes one; else the one value. */
  readonly texts: readonly string[];
}

function readList(
  { name, value }: QueryParameter,
  limits: DataRequestLimits,
  problems: Problem[],
): string[] {
  const texts = splitValueList(value);
  if (texts === null) {
    const msg =
      'A quoted value in the list should end with a quote, followed by a comma or the end';
    problems.push(problemAt(['query', name], 'list_parsing', msg, value));
    return [];
  }
  if (texts.length > limits.inValuesMax) {
    const ctx = { max_length: limits.inValuesMax, actual_length: texts.length };
    const msg = `The list should have at most ${limits.inValuesMax} values, not ${texts.length}`;
    problems.push(problemAt(['query', name], 'too_long', msg, value, ctx));
  }
  return texts;
}

function readFilter(
  parameter: QueryParameter,
  limits: DataRequestLimits,
  problems: Problem[],
): RequestFilter[] {
  const { name, value } = parameter;
  const dot = name.lastIndexOf('.');
  const column = dot === -1 ? name : name.slice(0, dot);
  const operator = dot === -1 ? null : name.slice(dot + 1);
  if (column === '') {
    const msg = 'A filter should name a column before its operator';
    problems.push(problemAt(['query', name], 'missing_name', msg, name));
    return [];
  }
  if (operator !== null && !isOperator(operator)) {
    const legal = alternatives(operatorNames());
    const msg = `The filter operator '${operator}' does not exist; it should be ${legal}`;
    const ctx = { expected: legal };
    problems.push(problemAt(['query', name], 'unknown_operator', msg, operator, ctx));
    return [];
  }
  const isList = operator !== null && takes(operator, 'list');
  const texts = isList ? readList(parameter, limits, problems) : [value];
  return [{ name, column, operator, texts }];
}

/** The filters in the order given; they may repeat. */
export function readFilters(
  parameters: readonly QueryParameter[],
  limits: DataRequestLimits,
  problems: Problem[],
): RequestFilter[] {
  const first = parameters[limits.filtersMax];
  if (first) {
    const ctx = { max_length: limits.filtersMax, actual_length: parameters.length };
    const msg = `A request should have at most ${limits.filtersMax} filters, not ${parameters.length}`;
    problems.push(problemAt(['query', first.name], 'too_long', msg, first.value, ctx));
  }
  return parameters.flatMap((parameter) => readFilter(parameter, limits, problems));
}

/** Names of the path segments after the dataset's, for each path shape. */
export const PATH_PARAMETERS: Readonly<Record<PathShape, readonly string[]>> = {
  tick: ['trade_date', 'identifier'],
  identifier: ['identifier'],
  query: [],
};
