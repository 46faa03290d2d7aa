/** The errors that a request to the service can fail with. */
import type { Problem } from '@ticklake/client';

/** The service answered with an error. */
export class ApiFailure extends Error {
  readonly status: number;
  /** Empty where the service gave a single text. */
  readonly problems: readonly Problem[];

  constructor(status: number, detail: string | readonly Problem[]) {
    super(typeof detail === 'string' ? detail : detail.map(({ msg }) => msg).join('; '));
    this.name = 'ApiFailure';
    this.status = status;
    this.problems = typeof detail === 'string' ? [] : detail;
  }
}

/** The service could not be reached, or answered with something that is not its own. */
export class ServerUnreachable extends Error {
  constructor(options?: ErrorOptions) {
    super('Can’t reach the server', options);
    this.name = 'ServerUnreachable';
  }
}

/** The monthly limits of an account, which a 429 names. */
export function isMonthlyLimit({ status, message }: ApiFailure): boolean {
  return status === 429 && message.startsWith('Monthly');
}

/** Whether the same request may succeed later: not if it was refused for what it asks or who asks. */
export function mayHelpToRetry(error: unknown): boolean {
  if (!(error instanceof ApiFailure)) return true;
  if (error.status === 429) return !isMonthlyLimit(error);
  return error.status >= 500 || error.status === 408;
}

function fieldOf({ loc }: Problem): string {
  return loc[1] ?? '';
}

/** Beside a field its name needs no telling: `'name' is missing` is `This is missing` there. */
function messageBeside(field: string, { msg }: Problem): string {
  const prefix = `'${field}' `;
  return msg.startsWith(prefix) ? `This ${msg.slice(prefix.length)}` : msg;
}

/**
 * Messages by the field that they belong to. What belongs to none of `fields` is joined under ''.
 * An error that is not about fields has its text there.
 */
export function fieldMessages(
  error: unknown,
  fields: readonly string[],
): Readonly<Record<string, string>> {
  if (error === null || error === undefined) return {};
  if (!(error instanceof ApiFailure) || error.problems.length === 0) {
    return { '': error instanceof Error ? error.message : String(error) };
  }
  const messages: Record<string, string> = {};
  for (const problem of error.problems) {
    const name = fieldOf(problem);
    const field = fields.includes(name) ? name : '';
    const message = messageBeside(field, problem);
    messages[field] = messages[field] ? `${messages[field]}; ${message}` : message;
  }
  return messages;
}
