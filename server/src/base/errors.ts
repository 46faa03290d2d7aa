/**
 * Failures. An `ApiError` is what a caller of the HTTP interface may read; a `UsageError` what the
 * person at the command line has to change. Everything else is internal and only the operator
 * reads it.
 */

/** Kinds of refusals; `routes/` has a status for each, the command line an exit code. */
export type ErrorKind =
  | 'malformed'
  | 'not authenticated'
  | 'forbidden'
  | 'not found'
  | 'method not allowed'
  | 'not acceptable'
  /** Something that exists already is in the way. */
  | 'conflict'
  /** The account or key is no longer in use. */
  | 'gone'
  | 'precondition failed'
  | 'range not satisfiable'
  | 'too long'
  /** The fields or parameters that the detail lists have to change. */
  | 'invalid'
  | 'too many requests'
  /** The client went away before it was answered: told to the operator only. */
  | 'client gone'
  | 'internal'
  /** Something that is needed is busy or broken; the same request may succeed later. */
  | 'unavailable'
  | 'timed out';

/** One problem: its place, such as `["query", NAME]`, its kind, and the given value. */
export interface Problem {
  readonly type: string;
  readonly loc: readonly string[];
  readonly msg: string;
  readonly input: unknown;
  readonly ctx: Readonly<Record<string, unknown>>;
}

/** More than anybody reads; a short URL can have thousands. */
const PROBLEMS_TOLD_MAX = 100;

/** A problem as plain text, with the name of the field if the message lacks it. */
function problemText({ loc, msg, ctx }: Problem): string {
  const name = loc.slice(1).join('.');
  const isNamed = name === '' || 'columns' in ctx || msg.includes(`'${name}'`);
  return isNamed ? msg : `${msg} (in '${name}')`;
}

export class ApiError extends Error {
  readonly kind: ErrorKind;
  readonly detail: string | readonly Problem[];
  /** The caller's next step, as a sentence; null: none is known. */
  readonly hint: string | null;

  /** The caller is told the first of many problems. */
  constructor(kind: ErrorKind, detail: string | readonly Problem[], hint: string | null = null) {
    const told = typeof detail === 'string' ? detail : detail.slice(0, PROBLEMS_TOLD_MAX);
    super(typeof told === 'string' ? told : told.map(problemText).join('; '));
    this.name = 'ApiError';
    this.kind = kind;
    this.detail = told;
    this.hint = hint;
  }
}

/** Wrong words at the command line or bad input there: plain lines, mostly one, and exit code 2. */
export class UsageError extends Error {
  readonly lines: readonly string[];

  constructor(lines: string | readonly string[]) {
    const list = [lines].flat();
    super(list.join('; '));
    this.name = 'UsageError';
    this.lines = list;
  }
}

/** Risks that a load takes only if allowed: losing rows, repeats, files that may be cut off. */
export type LoadAllowance = 'allow_loss' | 'again' | 'allow_unended';

/** A load that an allowance would publish; commands and the interface say how to give it. */
export class AllowanceMissing extends UsageError {
  readonly allowedBy: LoadAllowance;

  constructor(text: string, allowedBy: LoadAllowance) {
    super(text);
    this.name = 'AllowanceMissing';
    this.allowedBy = allowedBy;
  }
}
