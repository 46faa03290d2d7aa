/** Errors of requests: refusals by the service, failures on the way, damaged answers. */
import type { Problem } from './named-types.ts';

/** The base of all errors of this package. */
export class TicklakeError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** The subject of a request, for its errors. */
export interface About {
  readonly dataset?: string | undefined;
  readonly version?: number | null | undefined;
}

/** The service refused a request, or failed. */
export class APIError extends TicklakeError {
  readonly status!: number;
  /** The service's own text. */
  readonly detail!: string;
  /** The next step, as the service names it. */
  readonly hint!: string | null;
  readonly problems!: readonly Problem[];
  /** Quote it when you report a problem. */
  readonly requestId!: string | null;
  readonly dataset!: string | null;
  readonly version!: number | null;
  /** Requests that were sent for this one, the first included. */
  readonly attempts!: number;
  /** Milliseconds since 1970; null where the answer does not tell. */
  readonly retryAtMs!: number | null;

  constructor(refusal: Refusal) {
    const { status, detail, hint, requestId } = refusal;
    super(`${status}: ${detail}${hint === null ? '' : `. ${hint}`}${quoted(requestId)}`);
    Object.assign(this, refusal);
  }
}

/** The fields of an error. */
type Refusal = Omit<APIError, keyof Error>;

function quoted(requestId: string | null): string {
  return requestId === null ? '' : ` (request ${requestId})`;
}

export class BadRequestError extends APIError {}
/** No key, or one that is not valid. */
export class AuthenticationError extends APIError {}
/** The account may not do or read this. */
export class PermissionError extends APIError {}
export class NotFoundError extends APIError {}
export class NotAcceptableError extends APIError {}
export class ConflictError extends APIError {}
/** The key has expired, or the account is no longer active. */
export class ExpiredError extends APIError {}
/** The version was there and is no longer kept. */
export class VersionGoneError extends APIError {}
/** The request is not valid; `problems` has one entry for each fault. */
export class InvalidRequestError extends APIError {}
/** A limit of the minute is used up. */
export class RateLimitError extends APIError {}
/** A limit of the month is used up. */
export class QuotaExceededError extends APIError {}
export class InternalServerError extends APIError {}
export class UnavailableError extends APIError {}
/** The query took too long: narrow it. */
export class QueryTimeoutError extends APIError {}

/** Nothing came, it broke off, or nothing came for too long. */
export class TransportError extends TicklakeError {
  readonly attempts: number;

  constructor(message: string, attempts: number, cause?: unknown) {
    super(message, { cause });
    this.attempts = attempts;
  }
}

/** The answer is not the one that was sent: cut off, altered, or of another version. */
export class IntegrityError extends TicklakeError {
  readonly attempts: number;

  constructor(message: string, attempts = 1) {
    super(message);
    this.attempts = attempts;
  }
}

/** A `strict` read of a list of identifiers, some of which have no rows. */
export class MissingIdentifiersError extends TicklakeError {
  /** The first of them, if they are many. */
  readonly identifiers: readonly string[];

  constructor(message: string, identifiers: readonly string[]) {
    super(message);
    this.identifiers = identifiers;
  }
}

type ErrorClass = new (refusal: Refusal) => APIError;

const CLASSES: Readonly<Record<number, ErrorClass>> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  406: NotAcceptableError,
  409: ConflictError,
  410: ExpiredError,
  422: InvalidRequestError,
  429: RateLimitError,
  500: InternalServerError,
  503: UnavailableError,
  504: QueryTimeoutError,
};

/** A header says which limit refused; servers before it say so in the text alone. */
function isMonths(headers: Headers, detail: string): boolean {
  const window = headers.get('x-ratelimit-window');
  return window === null ? detail.startsWith('Monthly ') : window === 'month';
}

function classOf(status: number, headers: Headers, detail: string): ErrorClass {
  if ((status === 429 || status === 403) && isMonths(headers, detail)) return QuotaExceededError;
  if (status === 410 && detail.startsWith('Dataset version')) return VersionGoneError;
  return CLASSES[status] ?? APIError;
}

function parsedDetail(text: string): unknown {
  try {
    return (JSON.parse(text) as { detail?: unknown } | null)?.detail;
  } catch {
    return undefined;
  }
}

function problemText({ msg, loc }: Problem): string {
  const name = loc.at(-1);
  return msg.includes(`'${name}'`) ? msg : `${msg} (in '${name}')`;
}

/** Seconds, or a date; null for anything else. */
function retryAfterMs(text: string | null, nowMs: number): number | null {
  if (text === null) return null;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}

/** A quarter more at most, so that clients refused together do not all come back together. */
function resetMs(text: string | null, random: number): number | null {
  if (text === null || !/^\d+$/.test(text)) return null;
  return Math.max(1, Number(text)) * 1000 * (1 + random / 4);
}

/** The error that an answer which is not 2xx stands for. `body` is its text. */
export function errorOf(
  { status, headers }: { status: number; headers: Headers },
  body: string,
  about: About & { readonly attempts: number; readonly nowMs: number; readonly random: number },
): APIError {
  const given = parsedDetail(body);
  const problems = Array.isArray(given) ? (given as Problem[]) : [];
  const written = problems.length > 0 ? problems.map(problemText).join('; ') : given;
  const detail = typeof written === 'string' ? written : `The service answered with ${status}`;
  const waitMs =
    retryAfterMs(headers.get('retry-after'), about.nowMs) ??
    resetMs(headers.get('x-ratelimit-reset'), about.random);
  const { dataset = null, version = null, attempts, nowMs } = about;
  return new (classOf(status, headers, detail))({
    ...{ status, detail, problems, dataset, version, attempts },
    hint: headers.get('x-hint'),
    requestId: headers.get('x-request-id'),
    retryAtMs: waitMs === null ? null : nowMs + waitMs,
  });
}
