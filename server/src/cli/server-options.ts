/** Options of commands that ask a server over HTTP, and what they come to. */
import { readFileSync } from 'node:fs';
import { APIError, Ticklake, TicklakeError, type Where } from '@ticklake/client';
import { UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';
import { printableLine } from '../base/printable.ts';
import { type CommandContext, type OptionValues, option, textOf } from './command.ts';

const DEFAULT_URL = 'http://127.0.0.1:8080';

export const SERVER_OPTIONS = {
  server: option('URL', `address of the server (default: $TICKLAKE_URL, else ${DEFAULT_URL})`),
  'key-file': option('FILE', 'read the API key from FILE (default: the key in $TICKLAKE_KEY)'),
};

/** The key in the file, or else in the environment. Throws `UsageError` where there is none. */
export function keyOf({ env }: CommandContext, file: unknown): string {
  if (typeof file !== 'string') {
    if (env.TICKLAKE_KEY) return env.TICKLAKE_KEY;
    throw new UsageError('there is no API key: set TICKLAKE_KEY, or name its file with --key-file');
  }
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new UsageError(`--key-file: ${failureText(error)}`);
  }
}

/** A client of the server that the command line, or else the environment, names. */
export function clientOf(context: CommandContext, values: OptionValues): Ticklake {
  const url = textOf(values, 'server') ?? context.env.TICKLAKE_URL ?? DEFAULT_URL;
  const key = keyOf(context, values['key-file']);
  const warn = (message: string) => context.stderr.write(`ticklake: ${printableLine(message)}\n`);
  try {
    return new Ticklake({ url, key, warn });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** The words of a list as filters write it: with commas between, some in quotes. */
function listOf(text: string): string[] {
  const items = text.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g);
  return [...items].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '');
}

/** Filters from words such as `Ticker=AVQX` and `Price.ge=10`; lists if the operator takes them. */
export function filtersOf(words: readonly string[]): Where {
  const where: Record<string, string | string[]> = {};
  for (const word of words) {
    const at = word.indexOf('=');
    if (at <= 0)
      throw new UsageError(`a filter is such as Ticker=AVQX or Price.ge=10, not ${word}`);
    const [name, value] = [word.slice(0, at), word.slice(at + 1)];
    if (name in where) throw new UsageError(`the filter ${name} is given twice`);
    where[name] = name.endsWith('.in') ? listOf(value) : value;
  }
  return where;
}

export function columnsOf(value: unknown): string[] | undefined {
  return typeof value === 'string' ? value.split(',') : undefined;
}

const REFUSALS = [400, 401, 403, 404, 406, 410, 422];

/** An error of the client, as one of the command line's words. */
export function asUsageError(error: unknown): unknown {
  // The classes below it are failures of the server or on the way.
  if (error instanceof TicklakeError && error.name === 'TicklakeError') {
    return new UsageError(error.message);
  }
  const isRefusal = error instanceof APIError && REFUSALS.includes(error.status);
  return isRefusal ? new UsageError(`the server answers with ${error.message}`) : error;
}
