/** Options that the commands that load data share. */
import { UsageError } from '../base/errors.ts';
import { printableLine } from '../base/printable.ts';
import type { HeaderRules } from '../catalog/header-columns.ts';
import type { PublishMode } from '../lake/publication-options.ts';
import type { Config } from '../settings/config.ts';
import { flag, type OptionValues, option, repeatable, textsOf, wholeNumberOf } from './command.ts';

export const HEADER_OPTIONS = {
  map: repeatable('OLD=NEW', 'read the column OLD of the files as NEW'),
  'ignore-columns': repeatable('A,B', 'leave these columns of the files out'),
};

/** Names of columns hold no `=`, those of files may. */
function mappingOf(text: string): [from: string, to: string] {
  const at = text.lastIndexOf('=');
  if (at >= 0 && at < text.length - 1) return [text.slice(0, at), text.slice(at + 1)];
  throw new UsageError(`--map takes OLD=NEW, such as --map symbol=Ticker, not ${text}`);
}

/** The values of `HEADER_OPTIONS`. */
export function headerRulesOf(values: OptionValues): HeaderRules {
  const renamed = new Map<string, string>();
  for (const text of textsOf(values, 'map')) {
    const [from, to] = mappingOf(text);
    if (renamed.has(from)) throw new UsageError(`--map names ${JSON.stringify(from)} twice`);
    renamed.set(from, to);
  }
  const ignored = textsOf(values, 'ignore-columns').flatMap((list) => list.split(','));
  return { renamed, ignored };
}

export const REASON_OPTION = option('TEXT', 'reason to record in the ledger of publications');
export const VENDOR_OPTION = option('NAME', 'who the data comes from (default: unchanged)');

export const SYMBOLS_OPTION = {
  symbols: repeatable(
    'FILE',
    "vendor's definition file or files, which give DBN with instrument ids only its symbols",
  ),
};

export const LOAD_OPTIONS = {
  append: flag('add to the published rows instead of replacing any'),
  replace: option(
    'WHAT',
    'what the new rows replace: the dates that they have (default where there are any), whole partitions, or only the rows of the same identifiers in them',
  ),
  'allow-loss': flag(
    'publish even if dates vanish, or lose identifiers, or more rows than the setting allows',
  ),
  into: option('ID', 'load into an open publication, which becomes visible when it is committed'),
  reason: REASON_OPTION,
  'max-bad-rows': option(
    'N',
    'skip up to N bad rows; if there are more, publish nothing (default: 0)',
  ),
};

type ReplaceModes = ReadonlyMap<string, PublishMode>;

/** For loads into part of a dataset, or into several. */
const PARTIAL_MODES: ReplaceModes = new Map([
  ['dates', 'replace-dates'],
  ['partitions', 'replace'],
  ['identifiers', 'replace-identifiers'],
]);

/** For loads that can be a whole dataset. */
export const WHOLE_MODES: ReplaceModes = new Map([...PARTIAL_MODES, ['dataset', 'replace-all']]);

function modeOf({ append, replace }: OptionValues, modes: ReplaceModes): PublishMode | null {
  if (replace === undefined) return append === true ? 'append' : null;
  if (append === true) throw new UsageError('--append and --replace cannot be used together');
  const mode = modes.get(String(replace));
  if (mode !== undefined) return mode;
  const legal = [...modes.keys()].join(', ').replace(/, (?=[^,]*$)/, ' or ');
  throw new UsageError(`--replace must be ${legal}, not ${replace}`);
}

const REASON_CHARACTERS_MAX = 1000;

/** Why something is published, in the words of whoever does; null: nobody says. */
export function reasonOf({ reason }: OptionValues): string | null {
  if (reason === undefined) return null;
  if (String(reason).length <= REASON_CHARACTERS_MAX) return printableLine(String(reason));
  throw new UsageError(`--reason must have at most ${REASON_CHARACTERS_MAX} characters`);
}

/** An open publication has a reason already, and this one would be told to nobody. */
function requireOneReason({ into, reason }: OptionValues): void {
  if (into === undefined || reason === undefined) return;
  throw new UsageError('--into and --reason cannot be used together: a publication has one reason');
}

/** The values of `LOAD_OPTIONS`. */
export function loadOptionsOf(
  values: OptionValues,
  { lossPercentMax }: Pick<Config, 'lossPercentMax'>,
  modes = PARTIAL_MODES,
) {
  requireOneReason(values);
  return {
    /** Null: as the dataset's default is. */
    mode: modeOf(values, modes),
    maxBadRows: wholeNumberOf(values, 'max-bad-rows', { min: 0 }) ?? 0,
    /** As in `StageOptions`; absent: anything may be lost. */
    ...(values['allow-loss'] === true ? {} : { lossPercentMax }),
    /** The open publication that is written into; null: one of the load's own. */
    into: wholeNumberOf(values, 'into') ?? null,
    reason: reasonOf(values),
  };
}
