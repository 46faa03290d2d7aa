/** How a store fails that was asked nothing wrong: the same question may be answered later. */

/** The storage cannot be read or written. The message tells the operator what to do. */
export class StoreUnavailableError extends Error {
  /** Why, as a clause for the operator. */
  readonly reason: string;

  constructor(message: string, reason: string, cause?: unknown) {
    super(message, { cause });
    this.name = new.target.name;
    this.reason = reason;
  }
}

/** Another process holds the store for longer than can be waited. */
export class StoreBusyError extends StoreUnavailableError {}

/** There is no room for what should be written. */
export class StoreFullError extends StoreUnavailableError {}

/** Why the store did not take or give something, in words for the operator; null: another error. */
export function storageProblem(error: unknown): string | null {
  return error instanceof StoreUnavailableError ? error.reason : null;
}
