/** Names for parts of the interface's types. */
import type {
  DatasetStatus,
  Endpoints,
  Person,
  QueryForm,
  Quotas,
  ValidationError,
} from './types.ts';

/** One problem of a refused request. */
export type Problem = Exclude<ValidationError['detail'], string>[number];

export type Role = Person['role'];
export type StatusCode = DatasetStatus['status_code'];

/** The amounts that an account has used in a span. */
export type UsedAmounts = Quotas['quotas_usage']['month'];
/** Limits of a span; null is no limit. */
export type LimitAmounts = Quotas['quotas_limit']['month'];

type QueriedColumn = QueryForm['columns'][number];

export type DataType = QueriedColumn['data_type'];
/** An operator of filters. */
export type Operator = QueriedColumn['operators'][number];
/** A format of answers with rows. */
export type DataFormat = keyof QueryForm['limits'];
/** How many rows a page of a format has. */
export type RowLimit = QueryForm['limits'][DataFormat];

/** The body of a change, by the operation id of its endpoint. */
export type BodyOf<Name extends keyof Endpoints> = Endpoints[Name]['body'];
