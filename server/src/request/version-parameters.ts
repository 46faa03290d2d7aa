/** Which version of the dataset a request reads: a number, or the one of a time; else the current one. */
import type { Problem } from '../base/errors.ts';
import type { TimeZone } from '../time/time-zone.ts';
import { LITERALS, parseDateTime } from './literals.ts';
import { versionSchema } from './page-parameters.ts';
import { problemAt } from './request-problem.ts';
import { readInteger } from './standard-parameters.ts';

/** Null in place of it: the version that is current. */
export type AskedVersion = { readonly version: number } | { readonly asOf: string };

const TIME = LITERALS['date-time'];
const ACCEPTS_TIME =
  'YYYY-MM-DDTHH:MM, optionally with seconds, up to nine fraction digits and an offset';
const NANOS_PER_MS = 1_000_000n;

/**
 * The time in epoch milliseconds; null where the text is none. Without an offset it is read by the
 * clock of the zone. A date alone could mean its first moment as well as its last, so it is no time.
 */
export function readMoment(text: string, zone: TimeZone): number | null {
  const nanos = parseDateTime(text, zone, 'eq');
  if (nanos === null) return null;
  return Number(nanos / NANOS_PER_MS) - (nanos % NANOS_PER_MS < 0n ? 1 : 0);
}

function readAsOf(text: string, problems: Problem[]): AskedVersion {
  // Whether it is a time does not depend on the clock that it is read by.
  if (readMoment(text, 'UTC') === null) {
    const msg = `Cannot parse the value '${text}' of 'as_of' as ${TIME.label}: give ${ACCEPTS_TIME}`;
    const ctx = { accepts: ACCEPTS_TIME };
    problems.push(problemAt(['query', 'as_of'], TIME.problemType, msg, text, ctx));
  }
  return { asOf: text };
}

export function readAskedVersion(
  version: string | undefined,
  asOf: string | undefined,
  problems: Problem[],
): AskedVersion | null {
  if (version !== undefined && asOf !== undefined) {
    const msg = "Give either 'dataset_version' or 'as_of', not both";
    problems.push(problemAt(['query', 'as_of'], 'exclusive_parameters', msg, asOf));
  }
  const read = asOf === undefined ? null : readAsOf(asOf, problems);
  if (version === undefined) return read;
  return { version: readInteger('dataset_version', version, versionSchema, problems) };
}

/** Null: the current one. */
export function readRollsVersion(text: string | undefined, problems: Problem[]): number | null {
  return text === undefined ? null : readInteger('rolls_version', text, versionSchema, problems);
}
