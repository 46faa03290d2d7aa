/** Fields that come in the body of a POST. */
import {
  type Fault,
  type Fields,
  type FieldValues,
  readFields,
  unknownField,
} from '../admin/field.ts';
import { ApiError } from '../base/errors.ts';
import type { CommonServices } from '../query/reader.ts';
import { bodyMembers } from './json-body.ts';

/** The members of a body that are known; a fault for each other one. */
export function bodyInput(
  body: unknown,
  known: readonly string[],
  faults: Fault[],
): Record<string, unknown> {
  const members = bodyMembers(body);
  for (const [name, value] of members) {
    if (!known.includes(name)) faults.push(unknownField(name, known, value));
  }
  return Object.fromEntries(members.filter(([name]) => known.includes(name)));
}

/** A 422 about a member of the body that nothing of is repeated: it may be a password. */
export function secretProblem(name: string, type: string, complaint: string): ApiError {
  return new ApiError('invalid', [secretProblemOf({ path: [name], type, complaint, input: null })]);
}

function secretProblemOf({ path, type, complaint }: Fault) {
  const msg = `'${path.join('.')}' ${complaint}`;
  return { type, loc: ['body', ...path], msg, input: null, ctx: {} };
}

/** The values of a body, of which no error repeats anything. Throws an ApiError 'invalid'. */
export function readSecretBody<F extends Fields>(
  { catalog, clock }: CommonServices,
  fields: F,
  body: unknown,
): FieldValues<F> {
  const reading = { catalog, nowMs: clock.now(), faults: [] as Fault[] };
  const input = bodyInput(body, Object.keys(fields), reading.faults);
  const values = readFields(fields, input, reading);
  if (reading.faults.length === 0) return values as FieldValues<F>;
  throw new ApiError('invalid', reading.faults.map(secretProblemOf));
}
