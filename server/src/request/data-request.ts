/**
 * The first stages of a data request. Its text becomes a `DataRequest`: only the grammar is judged, all
 * problems of one request together. Then its path and variant parameters choose the dataset.
 */

import type { AggregationLogic } from '@ticklake/market/aggregation-logic.ts';
import { ApiError, type Problem } from '../base/errors.ts';
import type { Catalog, Dataset, Variant } from '../catalog/dataset.ts';
import type { Interval } from '../catalog/interval.ts';
import type { Format } from '../formats/format.ts';
import { FORMATS } from '../formats/formats.ts';
import { NOT_ACCEPTABLE } from './accepted-format.ts';
import { type AskedAdjustment, readAdjustment } from './adjustment-parameters.ts';
import { type RequestFilter, readFilters } from './filters.ts';
import { PATH_PARAMETERS } from './path-parameters.ts';
import { decodePercent } from './percent-decoding.ts';
import type { Period } from './period.ts';
import { type QueryParameter, readQueryString } from './query-string.ts';
import { problemAt } from './request-problem.ts';
import type { DataRequestLimits } from './settings.ts';
import {
  isStandardParameter,
  readAdjusted,
  readAggregationLogic,
  readColumns,
  readContinuous,
  readInterval,
  readLimit,
  readOffset,
  readPeriod,
  readReceipt,
  readResponseFormat,
  readSort,
  readSymbols,
  type SortField,
} from './standard-parameters.ts';
import { type AskedVersion, readAskedVersion, readRollsVersion } from './version-parameters.ts';

export interface DataRequest {
  readonly group: string;
  readonly segment: string;
  /** Decoded segments after the dataset's. */
  readonly pathParameters: readonly string[];
  readonly filters: readonly RequestFilter[];
  readonly sort: readonly SortField[];
  /** Null: all columns. */
  readonly columns: readonly string[] | null;
  readonly offset: number;
  readonly limit: number;
  readonly responseFormat: Format;
  /** Null: the current one. */
  readonly version: AskedVersion | null;
  /** The next four are null when the request does not say. */
  readonly adjusted: boolean | null;
  readonly aggregationLogic: AggregationLogic | null;
  readonly interval: Interval | null;
  readonly period: Period | null;
  readonly adjustment: AskedAdjustment;
  /** Version of the dataset that ranks contracts; null: the current one. */
  readonly rollsVersion: number | null;
  /** Whether a signed receipt is asked for, too. */
  readonly receipt: boolean;
  /** Whether tickers are refused that meant more than one company on the dates. */
  readonly strictSymbols: boolean;
  /** Whether a ticker stands for the company that has it, through all of its tickers. */
  readonly followsCompanies: boolean;
  /** The standard parameters that are given, with their texts. */
  readonly parameterTexts: ReadonlyMap<string, string>;
}

export interface DataRequestInput {
  readonly group: string;
  readonly segment: string;
  /** Raw, percent-encoded segments after the dataset's. */
  readonly pathParameters: readonly string[];
  /** Raw, without its `?`; '' if there is none. */
  readonly queryString: string;
  /** The header that chooses the format where the query does not. */
  readonly accept?: string | undefined;
  /** What `response_format` may say; absent: the name of any format of pages. */
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

/** Separates the standard parameters, each given at most once, from the filters. */
function separate(parameters: readonly QueryParameter[], problems: Problem[]) {
  const standard = new Map<string, string>();
  const filters: QueryParameter[] = [];
  for (const parameter of parameters) {
    const { name, value } = parameter;
    if (!isStandardParameter(name)) filters.push(parameter);
    else if (standard.has(name)) {
      const msg = `The parameter '${name}' should be given only once`;
      problems.push(problemAt(['query', name], 'duplicate_parameter', msg, value));
    } else standard.set(name, value);
  }
  return { standard, filters };
}

/** The parts of a request's text, decoded, and what is wrong with them so far. */
interface RequestParts extends Pick<DataRequest, 'group' | 'segment' | 'pathParameters'> {
  readonly parameters: readonly QueryParameter[];
  /** The header of that name; undefined: there is none. */
  readonly accept: string | undefined;
  readonly formats?: ReadonlyMap<string, Format> | undefined;
  readonly problems: Problem[];
}

/**
 * Reads the parameters. Throws an ApiError 'invalid' with all problems of the request's grammar, and
 * 'not acceptable' where there is none but no format that is accepted.
 */
export function readDataRequest(parts: RequestParts, limits: DataRequestLimits): DataRequest {
  const { group, segment, pathParameters, parameters, accept, formats, problems } = parts;
  const { standard, filters } = separate(parameters, problems);
  const formatText = standard.get('response_format');
  const acceptable = readResponseFormat(formatText, accept, problems, formats);
  const responseFormat = acceptable ?? FORMATS[0];
  const request: DataRequest = {
    group,
    segment,
    pathParameters,
    filters: readFilters(filters, limits, problems),
    sort: readSort(standard.get('sort'), limits, problems),
    columns: readColumns(standard.get('columns'), problems),
    offset: readOffset(standard.get('offset'), limits, problems),
    limit: readLimit(standard.get('limit'), responseFormat, limits, problems),
    responseFormat,
    version: readAskedVersion(standard.get('dataset_version'), standard.get('as_of'), problems),
    adjusted: readAdjusted(standard.get('adjusted'), problems),
    aggregationLogic: readAggregationLogic(standard.get('aggregation_logic'), limits, problems),
    interval: readInterval(standard.get('interval'), problems),
    period: readPeriod(standard.get('period'), problems),
    adjustment: readAdjustment(standard, problems),
    rollsVersion: readRollsVersion(standard.get('rolls_version'), problems),
    receipt: readReceipt(standard.get('receipt'), problems),
    strictSymbols: readSymbols(standard.get('symbols'), problems),
    followsCompanies: readContinuous(standard.get('continuous'), problems),
    parameterTexts: standard,
  };
  if (problems.length > 0) throw new ApiError('invalid', problems);
  if (acceptable === null) throw new ApiError('not acceptable', NOT_ACCEPTABLE);
  return request;
}

/** Reads a data request. Throws as `readDataRequest` does. */
export function parseDataRequest(input: DataRequestInput, limits: DataRequestLimits): DataRequest {
  const problems: Problem[] = [];
  const pathParameters = readPathParameters(input.pathParameters, problems);
  const query = readQueryString(input.queryString);
  problems.push(...query.problems);
  const { group, segment, accept, formats } = input;
  const { parameters } = query;
  const parts = { group, segment, pathParameters, parameters, accept, formats, problems };
  return readDataRequest(parts, limits);
}

/** The variant of a request that does not choose one. */
export const DEFAULT_VARIANT = {
  adjusted: false,
  aggregationLogic: 'vendor_default',
} as const satisfies Variant;

/** The datasets of a request's segment that are of the variant that it asks for, or of none. */
function variantsAsked(request: DataRequest, catalog: Catalog): readonly Dataset[] {
  const adjusted = request.adjusted ?? DEFAULT_VARIANT.adjusted;
  const aggregationLogic = request.aggregationLogic ?? DEFAULT_VARIANT.aggregationLogic;
  return catalog
    .bySegment(request.group, request.segment)
    .filter(
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
  if (!dataset || pathParameters.includes('')) throw new ApiError('not found', 'Not Found');
  return dataset;
}

/** The same for a request whose path ends with the segment, whatever the dataset's own path has. */
export function chooseBulkDataset(request: DataRequest, catalog: Catalog): Dataset {
  const [dataset] = variantsAsked(request, catalog);
  if (!dataset) throw new ApiError('not found', 'Not Found');
  return dataset;
}
