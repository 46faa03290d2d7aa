/** Options that say how the names in the headers of files are to be read. */
import { UsageError } from '../base/errors.ts';
import type { HeaderRules } from '../catalog/header-columns.ts';
import type { CommandOption, OptionValues } from './command.ts';

export const HEADER_OPTIONS = {
  map: {
    type: 'string',
    valueName: 'OLD=NEW',
    multiple: true,
    description: 'read the column OLD of the files as NEW; may be given more than once',
  },
  'ignore-columns': {
    type: 'string',
    valueName: 'A,B',
    multiple: true,
    description: 'leave these columns of the files out; may be given more than once',
  },
} as const satisfies Readonly<Record<string, CommandOption>>;

/** Names of columns hold no `=`, those of files may. */
function mappingOf(text: string): [from: string, to: string] {
  const at = text.lastIndexOf('=');
  if (at >= 0 && at < text.length - 1) return [text.slice(0, at), text.slice(at + 1)];
  throw new UsageError(`--map takes OLD=NEW, such as --map symbol=Ticker, not ${text}`);
}

/** The values of `HEADER_OPTIONS`. */
export function headerRulesOf(values: OptionValues): HeaderRules {
  const renamed = new Map<string, string>();
  for (const text of (values.map ?? []) as readonly string[]) {
    const [from, to] = mappingOf(text);
    if (renamed.has(from)) throw new UsageError(`--map names ${JSON.stringify(from)} twice`);
    renamed.set(from, to);
  }
  const lists = (values['ignore-columns'] ?? []) as readonly string[];
  return { renamed, ignored: lists.flatMap((list) => list.split(',')) };
}
