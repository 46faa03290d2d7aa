/** Fields that come in the query string of a GET. */
import {
  type Fault,
  type Fields,
  type FieldValues,
  fault,
  readFields,
  unknownField,
} from '../admin/field.ts';
import { ApiError } from '../base/errors.ts';
import { parseQueryString } from '../request/query-string.ts';
import { valueOfText } from '../schema/read-value.ts';
import type { Exchange } from './endpoint.ts';

type Input = Record<string, unknown>;

/** What is given of the fields; a fault for each other parameter, and for one that is given twice. */
export function queryInput(fields: Fields, queryString: string, faults: Fault[]): Input {
  const input: Input = {};
  for (const { name, value } of parseQueryString(queryString)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!field) faults.push(unknownField(name, Object.keys(fields), value));
    else if (Object.hasOwn(input, name)) {
      faults.push(fault([name], 'given_twice', 'should be given only once', value));
    } else input[name] = valueOfText(field.kind, value);
  }
  return input;
}

type Place = 'query' | 'path';

function readInput<F extends Fields>(
  { services: { catalog, clock } }: Exchange,
  fields: F,
  input: Input,
  place: Place,
  faults: Fault[],
): FieldValues<F> {
  const reading = { catalog, nowMs: clock.now(), faults };
  const values = readFields(fields, input, reading);
  if (faults.length === 0) return values as FieldValues<F>;
  throw new ApiError(
    'invalid',
    faults.map(({ path, type, complaint, input: given }) => ({
      ...{ type, loc: [place, ...path], input: given, ctx: {} },
      msg: `'${path.join('.')}' ${complaint}`,
    })),
  );
}

/** The values of a query string. Throws an ApiError 'invalid' with all that is wrong of it. */
export function readQuery<F extends Fields>(exchange: Exchange, fields: F): FieldValues<F> {
  const faults: Fault[] = [];
  const input = queryInput(fields, exchange.queryString, faults);
  return readInput(exchange, fields, input, 'query', faults);
}

/** The values of the parameters in a path. Throws an ApiError 'invalid'. */
export function readPath<F extends Fields>(exchange: Exchange, fields: F): FieldValues<F> {
  const given = exchange.request.params as Readonly<Record<string, string>>;
  const input = Object.fromEntries(
    Object.entries(fields).map(([name, { kind }]) => [name, valueOfText(kind, given[name] ?? '')]),
  );
  return readInput(exchange, fields, input, 'path', []);
}
