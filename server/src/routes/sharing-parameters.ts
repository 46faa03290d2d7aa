/**
 * What requests of Delta Sharing say. Members and parameters that are not known are left alone, as the
 * protocol has it: clients learn more of them.
 */
import { ApiError } from '../base/errors.ts';
import { parseQueryString } from '../request/query-string.ts';
import type { Exchange } from './endpoint.ts';
import { bodyMembers } from './json-body.ts';

/** An ApiError about the value of a parameter or of a member of the body. */
export function badValue(text: string): ApiError {
  return new ApiError('invalid', text);
}

/** What is given, by name: texts of a query string, values of a body. */
export type Given = ReadonlyMap<string, unknown>;

/** Throws an ApiError 'invalid' for a parameter that is given twice. */
export function queryGiven({ queryString }: Exchange): Given {
  const given = new Map<string, unknown>();
  for (const { name, value } of parseQueryString(queryString)) {
    if (given.has(name)) throw badValue(`'${name}' should be given only once`);
    given.set(name, value);
  }
  return given;
}

/** A member that is null counts as not given. */
export function bodyGiven({ request }: Exchange): Given {
  return new Map(bodyMembers(request.body).filter(([, value]) => value !== null));
}

const DIGITS = /^\d{1,15}$/;

/** Null where it is not given. */
export function readCount(given: Given, name: string): number | null {
  const value = given.get(name);
  if (value === undefined) return null;
  if (typeof value === 'string' && DIGITS.test(value)) return Number(value);
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw badValue(`'${name}' should be a whole number, 0 or more`);
}

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

/** Epoch milliseconds, or null where it is not given. */
export function readTimestamp(given: Given, name: string): number | null {
  const value = given.get(name);
  if (value === undefined) return null;
  const atMs = typeof value === 'string' && TIMESTAMP.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isFinite(atMs)) return atMs;
  throw badValue(`'${name}' should be a time such as 2026-11-20T00:00:00Z`);
}

/** Null where it is not given. */
export function readText(given: Given, name: string): string | null {
  const value = given.get(name);
  if (value === undefined) return null;
  if (typeof value === 'string') return value;
  throw badValue(`'${name}' should be a text`);
}

export function readTexts(given: Given, name: string): readonly string[] {
  const value = given.get(name) ?? [];
  const isList = Array.isArray(value) && value.every((each) => typeof each === 'string');
  if (isList) return value as string[];
  throw badValue(`'${name}' should be a list of texts`);
}

/** An ApiError for the second of two that cannot be used together. */
export function requireOne(given: Given, names: readonly [string, string]): void {
  const [one, other] = names;
  if (given.has(one) && given.has(other)) throw badValue(`Give either '${one}' or '${other}'`);
}

const CAPABILITIES = 'delta-sharing-capabilities';

/** Says the format of the answer, and whether its last line says that it is whole; returns the latter. */
export function agreeOnCapabilities({ request, reply }: Exchange): boolean {
  const asked = `${request.headers[CAPABILITIES] ?? ''}`.toLowerCase().replaceAll(' ', '');
  const hasEnd = asked.split(';').includes('includeendstreamaction=true');
  const end = hasEnd ? ';includeendstreamaction=true' : '';
  reply.header(CAPABILITIES, `responseformat=parquet${end}`);
  return hasEnd;
}
