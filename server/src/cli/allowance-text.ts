/** Refusals that an option of the command lifts: people are told the option, programs the allowance's name. */
import { AllowanceMissing, type LoadAllowance, UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';

const ADVICE: Readonly<Record<LoadAllowance, string>> = {
  allow_loss: '--allow-loss publishes it all the same',
  again: '--again loads them once more',
  allow_unended: '--allow-unended loads it all the same',
};

export function withAdvice(text: string, allowedBy: LoadAllowance | null): string {
  return allowedBy === null ? text : `${text}; ${ADVICE[allowedBy]}`;
}

/** What went wrong, as the person at the command line reads it. */
export function errorLines(error: unknown): readonly string[] {
  if (error instanceof AllowanceMissing) return [withAdvice(error.message, error.allowedBy)];
  return error instanceof UsageError ? error.lines : [failureText(error)];
}

/** The same for programs. */
export function errorValue(error: unknown) {
  const isAllowable = error instanceof AllowanceMissing;
  return { error: failureText(error), ...(isAllowable ? { allowedBy: error.allowedBy } : {}) };
}
