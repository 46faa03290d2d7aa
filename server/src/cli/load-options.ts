/** Shared by the commands that load data: options, and how bad rows are reported. */

import { UsageError } from '../base/errors.ts';
import { printableLine } from '../base/printable.ts';
import type { BadValue } from '../engine/file-loading.ts';
import type { CommandOption, OptionValues } from './command.ts';

const SHOWN_CHARACTERS = 60;

export const LOAD_OPTIONS = {
  append: {
    type: 'boolean',
    description: 'add to the published partitions instead of replacing those that the files cover',
  },
  'max-bad-rows': {
    type: 'string',
    valueName: 'N',
    description: 'skip up to N bad rows; if there are more, publish nothing (default: 0)',
  },
} as const satisfies Readonly<Record<string, CommandOption>>;

export interface LoadOptions {
  readonly mode: 'append' | 'replace';
  readonly maxBadRows: number;
}

/** The values of `LOAD_OPTIONS`. */
export function loadOptionsOf(values: OptionValues): LoadOptions {
  const text = (values['max-bad-rows'] as string | undefined) ?? '0';
  if (!/^\d{1,15}$/.test(text)) {
    throw new UsageError(`--max-bad-rows must be a whole number, 0 or more, not ${text}`);
  }
  return { mode: values.append === true ? 'append' : 'replace', maxBadRows: Number(text) };
}

/** `3 rows`, `1 row`, `1,000 rows`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}

function shortened(value: string): string {
  return value.length <= SHOWN_CHARACTERS ? value : `${value.slice(0, SHOWN_CHARACTERS)}...`;
}

/** One line for each bad value that is shown. */
export function badValueLines(badValues: readonly BadValue[]): string[] {
  return badValues.map(({ file, line, column, value, reason }) => {
    const what = column === null ? 'the record' : column;
    return `  ${printableLine(file)}:${line}: ${what} ${JSON.stringify(shortened(value))} is not ${reason}`;
  });
}
