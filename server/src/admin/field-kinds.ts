/** The kinds of values that administrative operations take: a schema each. */

import * as v from 'valibot';
import {
  networkAddressProblem,
  parseAddress,
  parseSubnet,
  SUBNET_LEGAL,
} from '../access/subnet.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { DATE_PATTERN, isCalendarDate, LATEST, parseDateTime } from '../request/literals.ts';
import { NO_CONTROLS_PATTERN } from '../request/query-string.ts';
import {
  keywords,
  legal,
  legalText,
  nullable,
  objectOf,
  parsed,
  type Schema,
  wholeNumber,
} from '../schema/schema.ts';
import {
  CONTINUOUS_LEGAL,
  CONTINUOUS_PATTERN,
  parseContinuous,
} from '../symbology/continuous-contract.ts';
import { type FieldKind, inContext } from './field.ts';

const COUNT_MAX = Number.MAX_SAFE_INTEGER;
const NAME_CHARACTERS_MAX = 200;
const REASON_CHARACTERS_MAX = 1000;
const IDENTIFIER_CHARACTERS_MAX = 64;
const SUBNETS_MAX = 1000;
const UNIVERSE_MAX = 10_000;
const COLUMNS_MAX = 1000;
const PARTITIONS_MAX = 10_000;
const DATASETS_MAX = 1000;
const IDS_MAX = 1000;

/**
 * Control characters, those that cannot be seen or turn the direction of writing, line and
 * paragraph separators, and halves of surrogate pairs.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

/**
 * Schemas say what they can in patterns that every reader of JSON Schema knows. These are the
 * characters of `UNPRINTABLE` that one is likely to meet, for use between brackets.
 */
const UNPRINTABLE_SCHEMA =
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff';
const PRINTABLE_PATTERN = `^[^\\s${UNPRINTABLE_SCHEMA}]([^${UNPRINTABLE_SCHEMA}]*[^\\s${UNPRINTABLE_SCHEMA}])?$`;

function isPrintable(text: string): boolean {
  return text !== '' && text.trim() === text && !UNPRINTABLE.test(text);
}

/** A string that code has to judge; `json` says as much of it as JSON Schema can. */
function stringOf<T extends {}>(
  words: string,
  json: Readonly<Record<string, unknown>>,
  parse: (text: string) => T | undefined,
) {
  return v.pipe(v.string(), legal(words), keywords(json), parsed(parse));
}

function printableOf(charactersMax: number) {
  return stringOf(
    `a string of 1 to ${charactersMax} characters without control or invisible characters, ` +
      'with no space at either end',
    { minLength: 1, maxLength: charactersMax, pattern: PRINTABLE_PATTERN },
    (text) => {
      const name = text.normalize('NFC');
      return isPrintable(name) && [...name].length <= charactersMax ? name : undefined;
    },
  );
}

export const NAME = printableOf(NAME_CHARACTERS_MAX);
/** Why somebody does something. */
export const REASON = printableOf(REASON_CHARACTERS_MAX);

export const COUNT = wholeNumber(0, COUNT_MAX);
export const ID = wholeNumber(1, COUNT_MAX);
/** Up to a hundred years. */
export const CONTRACT_DAYS = wholeNumber(1, 36_525);

export function pageLimit(max: number) {
  return wholeNumber(1, max);
}

/** Versions are counted from 1. */
export const VERSION = wholeNumber(1, Number.MAX_SAFE_INTEGER);

export const FLAG = v.pipe(v.boolean(), legal('true or false'));

export const DATE = stringOf(
  'a calendar date, YYYY-MM-DD, from 1900 to 2199',
  { format: 'date', pattern: DATE_PATTERN },
  (text) => (isCalendarDate(text) ? text : undefined),
);

export const MONTH = stringOf(
  'a month such as 2026-10, from 1900-01 to 2199-12',
  { pattern: '^(19|20|21)[0-9]{2}-(0[1-9]|1[0-2])$' },
  (text) => (/^(19|20|21)\d\d-(0[1-9]|1[0-2])$/.test(text) ? text : undefined),
);

const CLOCK = '([01]\\d|2[0-3]):[0-5]\\d';
const DAY = DATE_PATTERN.slice(1, -1);

export const DATE_OR_LATEST = stringOf(
  'a calendar date, YYYY-MM-DD, from 1900 to 2199, or latest',
  { pattern: `^(${DAY}|${LATEST})$` },
  (text) => (text === LATEST || isCalendarDate(text) ? text : undefined),
);

const INSTANT = new RegExp(`^(?<day>${DAY})(T${CLOCK}(:[0-5]\\d)?(Z|[+-]${CLOCK}))?$`);

/** Milliseconds since 1970. */
function parseInstant(text: string): number | undefined {
  const match = INSTANT.exec(text);
  return match && isCalendarDate(match.groups?.day ?? '') ? Date.parse(text) : undefined;
}

const TIME_LEGAL = 'a time such as 2030-01-31T17:00:00Z, or a date, which means 00:00 UTC';
const INSTANT_KEYWORDS = { pattern: INSTANT.source.replace('?<day>', '') };

export const TIME = stringOf(TIME_LEGAL, INSTANT_KEYWORDS, parseInstant);

export const FUTURE_TIME: FieldKind<number> = inContext(
  stringOf(`${TIME_LEGAL}, in the future`, INSTANT_KEYWORDS, parseInstant),
  (instantMs, { nowMs }) => (instantMs > nowMs ? instantMs : undefined),
);

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const LIFETIME = /^([1-9]\d{0,5})([smhd])$/;
const LIFETIME_DAYS_MAX = 36_500;

/** Milliseconds. */
export const LIFETIME_MS = stringOf(
  `a number and a unit s, m, h or d, such as 90d, up to ${LIFETIME_DAYS_MAX}d`,
  { pattern: LIFETIME.source },
  (text) => {
    const match = LIFETIME.exec(text);
    if (!match) return undefined;
    const lifetimeMs = Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
    return lifetimeMs <= LIFETIME_DAYS_MAX * UNIT_MS.d ? lifetimeMs : undefined;
  },
);

const MARKET_TIME_KEYWORDS = {
  pattern: `^${DAY}[T ]${CLOCK}(:[0-5]\\d(\\.\\d{1,9})?)?(Z|[-+ ]${CLOCK})?$`,
  examples: ['2026-10-16T15:30:00'],
};

/** A moment, which the clock of a market reads where it has no offset; kept as it is written. */
export const MARKET_TIME = stringOf(
  'a time such as 2026-10-16T15:30:00, with up to nine fraction digits and an offset, if any',
  MARKET_TIME_KEYWORDS,
  // A time is valid or invalid under any clock.
  (text) => (parseDateTime(text, 'UTC', 'eq') === null ? undefined : text),
);

const STRIKE_PATTERN = '^\\d{1,9}(\\.\\d{1,9})?$';

/** Dollars. */
export const STRIKE = stringOf(
  'a strike price in dollars, such as 187.5',
  { pattern: STRIKE_PATTERN, examples: ['187.5'] },
  (text) => (new RegExp(STRIKE_PATTERN).test(text) ? Number(text) : undefined),
);

/** Read as the catalog's dataset with the id or text id. */
export const DATASET: FieldKind<Dataset> = inContext(
  v.pipe(
    v.string(),
    v.minLength(1),
    legal('the id or the text id of a dataset, such as US1032 or eq_taq'),
    v.examples(['US1032']),
  ),
  (text, { catalog }) => catalog.byId(text) ?? catalog.byTextId(text),
);

export function choiceOf<const T extends string>(values: readonly T[]) {
  return v.pipe(v.picklist(values), legal(`one of ${values.join(', ')}`));
}

const EMAIL_CHARACTERS_MAX = 254;
const EMAIL_FORM = /^[^\s@"(),:;<>[\\\]]+@[\p{L}\p{N}]+(?:[.-][\p{L}\p{N}]+)*$/u;

const EMAIL_PATTERN =
  '^[^\\s@"(),:;<>\\[\\\\\\]]+@[A-Za-z0-9\\u00a1-\\uffff]+([.-][A-Za-z0-9\\u00a1-\\uffff]+)*$';

/** Letters of these alphabets look like Latin ones. */
const LOOKS_LATIN = /[\p{sc=Cyrl}\p{sc=Grek}\p{sc=Armn}\p{sc=Cher}\p{sc=Copt}\p{sc=Lisu}]/u;

/** True if the address looks like another one: `ⅹ` for `x`. */
function isLookAlike(email: string): boolean {
  const isMixed = (part: string) => /\p{sc=Latn}/u.test(part) && LOOKS_LATIN.test(part);
  return email.normalize('NFKC') !== email || email.split(/[@.]/).some(isMixed);
}

/** One person has one address, in whichever letters it was typed. */
function normalEmail(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

export const EMAIL = stringOf(
  `an e-mail address of at most ${EMAIL_CHARACTERS_MAX} characters, without letters that look like others`,
  { maxLength: EMAIL_CHARACTERS_MAX, pattern: EMAIL_PATTERN },
  (text) => {
    const email = normalEmail(text);
    const isLegal =
      text.length <= EMAIL_CHARACTERS_MAX && isPrintable(email) && EMAIL_FORM.test(email);
    return isLegal && !isLookAlike(email) ? email : undefined;
  },
);

function shortText(charactersMax: number) {
  return v.pipe(
    v.string(),
    v.minLength(1),
    v.maxLength(charactersMax),
    legal(`a string of 1 to ${charactersMax} characters`),
  );
}

/** Text that may be the e-mail address of a known person, in the form that the store keeps. */
export const KNOWN_EMAIL = v.pipe(
  shortText(EMAIL_CHARACTERS_MAX),
  v.transform((text) => normalEmail(text.trim())),
);

const PASSWORD_CHARACTERS_MIN = 12;
const PASSWORD_CHARACTERS_MAX = 1024;

function passwordOf(charactersMin: number) {
  return v.pipe(
    v.string(),
    keywords({ format: 'password' }),
    v.minLength(charactersMin),
    v.maxLength(PASSWORD_CHARACTERS_MAX),
    v.check((text) => [...text.normalize('NFC')].length >= charactersMin),
    legal(`a string of ${charactersMin} to ${PASSWORD_CHARACTERS_MAX} characters`),
  );
}

/** Only where no fault repeats what was given. */
export const NEW_PASSWORD = passwordOf(PASSWORD_CHARACTERS_MIN);
export const KNOWN_PASSWORD = passwordOf(1);

/** A second factor or recovery code; use it only where no fault repeats it. */
export const CODE = shortText(40);

/** Only where no fault repeats what was given. */
export const LINK_TOKEN = shortText(200);

/** A text that is compared as it is: for looking things up. */
export const SEARCHED_TEXT = v.pipe(
  shortText(NAME_CHARACTERS_MAX),
  keywords({ pattern: NO_CONTROLS_PATTERN }),
);

/** A list without repetitions; one that is too long is not looked into. */
function listOf<Item extends Schema<string, string>>(item: Item, entries: string, max: number) {
  return v.pipe(
    v.array(v.unknown()),
    v.maxLength(max),
    legal(`a list of at most ${max} entries (${entries})`),
    v.array(item),
    v.transform((texts): string[] => [...new Set(texts)]),
  );
}

/** Follows the name of the field, so it says what the field should be before it names the value. */
function explainSubnet(value: unknown): string | null {
  const problem = typeof value === 'string' ? networkAddressProblem(value) : null;
  return problem && `a subnet: ${problem}`;
}

const ADDRESS_CHARACTERS = '[0-9A-Fa-f:.]+';

const SUBNET = v.pipe(
  v.string(),
  legal(SUBNET_LEGAL, explainSubnet),
  keywords({ pattern: `^${ADDRESS_CHARACTERS}(/[0-9]{1,3})?$`, examples: ['192.0.2.0/24'] }),
  parsed((text) => parseSubnet(text)?.text),
);

/** Read as the words of the address. */
export const ADDRESS = stringOf(
  'an IPv4 or IPv6 address such as 203.0.113.7',
  { pattern: `^${ADDRESS_CHARACTERS}$`, examples: ['203.0.113.7'] },
  (text) => parseAddress(text) ?? undefined,
);
export const SUBNETS = listOf(SUBNET, 'CIDR subnets', SUBNETS_MAX);

export const IDENTIFIER = stringOf(
  `an identifier of 1 to ${IDENTIFIER_CHARACTERS_MAX} characters without spaces, commas, control characters or invisible characters`,
  {
    minLength: 1,
    maxLength: IDENTIFIER_CHARACTERS_MAX,
    pattern: `^[^\\s,${UNPRINTABLE_SCHEMA}]+$`,
  },
  (text) =>
    isPrintable(text) && !/[\s,]/.test(text) && text.length <= IDENTIFIER_CHARACTERS_MAX
      ? text
      : undefined,
);
export const UNIVERSE = listOf(IDENTIFIER, 'identifiers', UNIVERSE_MAX);

const COLUMN_NAME = stringOf(
  'the name of a column, of letters and digits',
  { minLength: 1, maxLength: NAME_CHARACTERS_MAX, pattern: '^[A-Za-z0-9]+$' },
  (text) => (/^[A-Za-z0-9]+$/.test(text) && text.length <= NAME_CHARACTERS_MAX ? text : undefined),
);

export const COLUMNS = v.pipe(
  listOf(COLUMN_NAME, 'names of columns', COLUMNS_MAX),
  v.minLength(1),
  legal(`a list of 1 to ${COLUMNS_MAX} names of columns`),
);

export const GROUP_NAMES = listOf(SEARCHED_TEXT, 'names of groups', DATASETS_MAX);

/** Ids, each once; at least one. */
export const IDS = v.pipe(
  v.array(ID),
  v.minLength(1),
  v.maxLength(IDS_MAX),
  legal(`a list of 1 to ${IDS_MAX} ids`),
  v.transform((ids): number[] => [...new Set(ids)]),
);

/** Names of datasets, which the catalogue need not know. */
export const DATASET_NAMES = listOf(SEARCHED_TEXT, 'ids or text ids of datasets', DATASETS_MAX);

const PARTITION_PATTERN = '^(all|\\d{4}(-\\d{2}){0,2})$';

/** The key of a partition. */
export const PARTITION = stringOf(
  'the key of a partition, such as 2026-11-20, 2026-11, 2026 or all',
  { pattern: PARTITION_PATTERN },
  (text) => (new RegExp(PARTITION_PATTERN).test(text) ? text : undefined),
);
export const PARTITIONS = listOf(PARTITION, 'keys of partitions', PARTITIONS_MAX);

/** A limit of a quota. */
export const LIMIT = nullable(COUNT, 'unlimited');

/** An object that holds any of `names`, each a value of the same kind. */
export function partsOf<Name extends string, Part extends Schema>(
  names: readonly Name[],
  part: Part,
) {
  const entries = Object.fromEntries(names.map((name) => [name, v.exactOptional(part)]));
  return v.pipe(
    objectOf(entries as { [Each in Name]: v.ExactOptionalSchema<Part, undefined> }),
    legal(`an object with any of ${names.join(', ')}, each ${legalText(part)}`),
  );
}

const SYMBOLS_MAX = 100;

/** As an identifier; symbols of option contracts have spaces inside. */
const SYMBOL = stringOf(
  `a symbol of 1 to ${IDENTIFIER_CHARACTERS_MAX} characters without commas, control characters or invisible characters`,
  {
    minLength: 1,
    maxLength: IDENTIFIER_CHARACTERS_MAX,
    pattern: `^[^\\s,${UNPRINTABLE_SCHEMA}]([^,${UNPRINTABLE_SCHEMA}]*[^\\s,${UNPRINTABLE_SCHEMA}])?$`,
  },
  (text) =>
    isPrintable(text) && !text.includes(',') && text.length <= IDENTIFIER_CHARACTERS_MAX
      ? text
      : undefined,
);

/** Symbols to look up; one that no security can have is not found. */
export const SYMBOLS = v.pipe(
  v.array(SYMBOL),
  v.minLength(1),
  v.maxLength(SYMBOLS_MAX),
  legal(`1 to ${SYMBOLS_MAX} symbols, separated by commas`),
  v.transform((symbols): string[] => [...new Set(symbols)]),
);

export const CONTINUOUS_SYMBOL = stringOf(
  CONTINUOUS_LEGAL,
  { pattern: CONTINUOUS_PATTERN },
  (text) => parseContinuous(text) ?? undefined,
);
