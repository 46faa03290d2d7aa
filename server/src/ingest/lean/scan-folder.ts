/** Lists a LEAN data folder: the files to import, by kind, and the others with the reason. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { pathFailure } from '../../base/failure-text.ts';
import { IDENTIFIER_TEXT, isIdentifierText } from '../../engine/identifier-text.ts';
import { dateOfCompact } from './records.ts';

export type LeanKind =
  | 'equity tick trades'
  | 'equity tick quotes'
  | 'equity minute trades'
  | 'equity minute quotes'
  | 'equity daily bars'
  | 'map files'
  | 'factor files'
  | 'option minute trades'
  | 'option open interest'
  | 'futures tick trades'
  | 'futures minute trades'
  | 'futures minute quotes'
  | 'futures open interest'
  | 'market hours';

export interface LeanFile {
  readonly kind: LeanKind;
  /** Absolute. */
  readonly path: string;
  /** Inside the folder, with slashes. */
  readonly name: string;
  /** LEAN's market, e.g. `usa` or `cme`; empty where the kind has none. */
  readonly market: string;
  /** Ticker, underlying or root in lower case; empty where the kind has none. */
  readonly symbol: string;
  /** `YYYY-MM-DD`; empty where the file is not of one day. */
  readonly date: string;
}

export interface SkippedFiles {
  readonly reason: string;
  readonly count: number;
  /** The name of the first one. */
  readonly example: string;
}

export interface LeanFolder {
  /** In the order of their names. */
  readonly files: readonly LeanFile[];
  readonly skipped: readonly SkippedFiles[];
}

const MARKET = '(?<market>[a-z]+)';
const SYMBOL = '(?<symbol>[^/]+)';
const DATE = '(?<date>\\d{8})';

const KIND_PATTERNS = (
  [
    ['equity tick trades', `equity/usa/tick/${SYMBOL}/${DATE}_trade\\.zip`],
    ['equity tick quotes', `equity/usa/tick/${SYMBOL}/${DATE}_quote\\.zip`],
    ['equity minute trades', `equity/usa/minute/${SYMBOL}/${DATE}_trade\\.zip`],
    ['equity minute quotes', `equity/usa/minute/${SYMBOL}/${DATE}_quote\\.zip`],
    ['equity daily bars', `equity/usa/daily/${SYMBOL}\\.zip`],
    ['map files', `equity/usa/map_files/${SYMBOL}\\.csv`],
    ['factor files', `equity/usa/factor_files/${SYMBOL}\\.csv`],
    ['option minute trades', `option/usa/minute/${SYMBOL}/${DATE}_trade_[a-z]+\\.zip`],
    ['option open interest', `option/usa/minute/${SYMBOL}/${DATE}_openinterest_[a-z]+\\.zip`],
    ['futures tick trades', `future/${MARKET}/tick/${SYMBOL}/${DATE}_trade\\.zip`],
    ['futures minute trades', `future/${MARKET}/minute/${SYMBOL}/${DATE}_trade\\.zip`],
    ['futures minute quotes', `future/${MARKET}/minute/${SYMBOL}/${DATE}_quote\\.zip`],
    [
      'futures open interest',
      `future/${MARKET}/(?:minute|tick)/${SYMBOL}/${DATE}_openinterest\\.zip`,
    ],
    ['market hours', 'market-hours/market-hours-database\\.json'],
  ] as const
).map(([kind, pattern]) => ({ kind, pattern: new RegExp(`^${pattern}$`) }));

/** Why other files are left alone; the first pattern that fits gives the reason. */
const SKIP_REASONS: readonly (readonly [RegExp, string])[] = [
  [/^option\/usa\/minute\/.*_quote_/, 'no dataset holds quote bars of options'],
  [/^future\/.*\/tick\/.*_quote\.zip$/, 'futures quote ticks are not imported'],
  [/^future\/.*\/(map|factor)_files\//, 'no dataset holds the rolls of continuous futures'],
  [/^symbol-properties\//, 'no dataset holds contract specifications'],
  [/\/(second|hour)\//, 'no dataset holds bars of this length'],
  [/^(option|future)\/.*\/daily\//, 'no dataset holds daily bars of options or futures'],
  [/\/(map|factor)_files\/.*\.zip$/, 'map and factor files are imported from plain CSV files only'],
  [/^equity\/(?!usa\/)/, 'only US equities are imported'],
];
/** Open interest of a day whose minute file has it, too. */
const REPEATED_REASON = 'the file of minutes of the same day has the same open interest';
const TICK_OPEN_INTEREST = /^(future\/[a-z]+)\/tick\/(.*_openinterest\.zip)$/;
const OTHER_REASON = 'not a kind of file that is imported';
const SYMBOL_REASON = `the symbol in its name is not ${IDENTIFIER_TEXT}`;

function filesBelow(root: string): string[] {
  try {
    return readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
      .map((name) => name.replaceAll(path.sep, '/'))
      .sort();
  } catch (error) {
    throw pathFailure(root, error);
  }
}

function recognise(root: string, name: string): LeanFile | null {
  for (const { kind, pattern } of KIND_PATTERNS) {
    const groups = pattern.exec(name)?.groups;
    if (!pattern.test(name)) continue;
    const date = groups?.date === undefined ? '' : dateOfCompact(groups.date);
    if (date === null) return null;
    const symbol = (groups?.symbol ?? '').toLowerCase();
    if (symbol !== '' && !isIdentifierText(symbol)) return null;
    return { kind, path: path.join(root, name), name, market: groups?.market ?? '', symbol, date };
  }
  return null;
}

function skipReason(name: string): string {
  const known = SKIP_REASONS.find(([pattern]) => pattern.test(name))?.[1];
  if (known !== undefined) return known;
  const symbol = KIND_PATTERNS.map(({ pattern }) => pattern.exec(name)?.groups?.symbol);
  return symbol.some((each) => each && !isIdentifierText(each)) ? SYMBOL_REASON : OTHER_REASON;
}

/** Throws `UsageError` for a folder that cannot be read or that holds nothing to import. */
export function scanFolder(directory: string): LeanFolder {
  const root = path.resolve(directory);
  const files: LeanFile[] = [];
  const skipped = new Map<string, SkippedFiles>();
  const names = filesBelow(root);
  const present = new Set(names);
  for (const name of names) {
    const isRepeated =
      TICK_OPEN_INTEREST.test(name) &&
      present.has(name.replace(TICK_OPEN_INTEREST, '$1/minute/$2'));
    const file = isRepeated ? null : recognise(root, name);
    if (file) {
      files.push(file);
      continue;
    }
    const reason = isRepeated ? REPEATED_REASON : skipReason(name);
    const { count, example } = skipped.get(reason) ?? { count: 0, example: name };
    skipped.set(reason, { reason, count: count + 1, example });
  }
  if (files.length === 0) {
    throw new UsageError(
      `${directory} is not a LEAN data folder: it has no file such as equity/usa/daily/spy.zip`,
    );
  }
  return { files, skipped: [...skipped.values()] };
}

export function filesOf(folder: LeanFolder, kind: LeanKind): LeanFile[] {
  return folder.files.filter((file) => file.kind === kind);
}
