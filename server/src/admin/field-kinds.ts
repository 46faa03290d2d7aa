/** The kinds of values that administrative operations take. */
import {
  networkAddressProblem,
  parseAddress,
  parseSubnet,
  SUBNET_LEGAL,
} from '../access/subnet.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { DATE_PATTERN, isCalendarDate } from '../request/calendar-date.ts';
import { NO_CONTROLS_PATTERN } from '../request/percent-decoding.ts';
import { type Fault, type FieldKind, fault, type Reading } from './field.ts';

const COUNT_MAX = Number.MAX_SAFE_INTEGER;
const NAME_CHARACTERS_MAX = 200;
const IDENTIFIER_CHARACTERS_MAX = 64;
const SUBNETS_MAX = 1000;
const UNIVERSE_MAX = 10_000;

/**
 * Control characters, those that cannot be seen or turn the direction of writing, line and paragraph
 * separators, and halves of surrogate pairs.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

/**
 * Schemas say what they can in patterns that every reader of JSON Schema knows. These are the
 * characters of `UNPRINTABLE` that one is likely to meet, for use between brackets.
 */
const UNPRINTABLE_SCHEMA =
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff';
const PRINTABLE_PATTERN = `^[^\\s${UNPRINTABLE_SCHEMA}]([^${UNPRINTABLE_SCHEMA}]*[^\\s${UNPRINTABLE_SCHEMA}])?$`;

/**
 * A kind whose values are read whole; `parse` gives undefined for an illegal value. `explain` may say
 * why an illegal value is refused, instead of `legal`.
 */
function kindOf<T>(
  legal: string,
  schema: FieldKind<T>['schema'],
  parse: (value: unknown, reading: Reading) => T | undefined,
  ofText: (text: string) => unknown = (text) => text,
  explain: (value: unknown) => string | null = () => null,
): FieldKind<T> {
  return {
    legal,
    schema,
    ofText,
    read: (value, path, reading) => {
      const parsed = parse(value, reading);
      if (parsed === undefined) {
        const complaint = explain(value) ?? `should be ${legal}`;
        reading.faults.push(fault(path, 'illegal_value', complaint, value));
      }
      return parsed;
    },
  };
}

/** Whole numbers written in the one usual way; all else stays a text and is then refused as one. */
function numberOfText(text: string): unknown {
  return /^(0|-?[1-9]\d*)$/.test(text) ? Number(text) : text;
}

function isPrintable(text: string): boolean {
  return text !== '' && text.trim() === text && !UNPRINTABLE.test(text);
}

export const NAME = kindOf(
  `a string of 1 to ${NAME_CHARACTERS_MAX} characters without control or invisible characters, ` +
    'with no space at either end',
  { type: 'string', minLength: 1, maxLength: NAME_CHARACTERS_MAX, pattern: PRINTABLE_PATTERN },
  (value) => {
    if (typeof value !== 'string') return undefined;
    const name = value.normalize('NFC');
    return isPrintable(name) && [...name].length <= NAME_CHARACTERS_MAX ? name : undefined;
  },
);

function integerFrom(min: number, max: number): FieldKind<number> {
  return kindOf(
    `a whole number from ${min} to ${max}`,
    { type: 'integer', minimum: min, maximum: max },
    (value) =>
      Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max
        ? (value as number)
        : undefined,
    numberOfText,
  );
}

export const COUNT = integerFrom(0, COUNT_MAX);
export const ID = integerFrom(1, COUNT_MAX);

export function pageLimit(max: number): FieldKind<number> {
  return integerFrom(1, max);
}

export const FLAG = kindOf(
  'true or false',
  { type: 'boolean' },
  (value) => (typeof value === 'boolean' ? value : undefined),
  (text) => ({ true: true, false: false })[text] ?? text,
);

export const DATE = kindOf(
  'a calendar date, YYYY-MM-DD, from 1900 to 2199',
  { type: 'string', format: 'date', pattern: DATE_PATTERN },
  (value) => (typeof value === 'string' && isCalendarDate(value) ? value : undefined),
);

const CLOCK = '([01]\\d|2[0-3]):[0-5]\\d';
const DAY = DATE_PATTERN.slice(1, -1);
const INSTANT = new RegExp(`^(?<day>${DAY})(T${CLOCK}(:[0-5]\\d)?(Z|[+-]${CLOCK}))?$`);

/** Milliseconds since 1970. */
function parseInstant(value: unknown): number | undefined {
  const match = typeof value === 'string' ? INSTANT.exec(value) : null;
  return match && isCalendarDate(match.groups?.day ?? '') ? Date.parse(value as string) : undefined;
}

const INSTANT_LEGAL = 'a time such as 2030-01-31T17:00:00Z, or a date, which means 00:00 UTC';
const INSTANT_SCHEMA = { type: 'string', pattern: INSTANT.source.replace('?<day>', '') };

export const TIME = kindOf(INSTANT_LEGAL, INSTANT_SCHEMA, parseInstant);

export const FUTURE_TIME = kindOf(
  `${INSTANT_LEGAL}, in the future`,
  INSTANT_SCHEMA,
  (value, { nowMs }) => {
    const instantMs = parseInstant(value);
    return instantMs !== undefined && instantMs > nowMs ? instantMs : undefined;
  },
);

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const LIFETIME = /^([1-9]\d{0,5})([smhd])$/;
const LIFETIME_DAYS_MAX = 36_500;

/** Milliseconds. */
export const LIFETIME_MS = kindOf(
  `a number and a unit s, m, h or d, such as 90d, up to ${LIFETIME_DAYS_MAX}d`,
  { type: 'string', pattern: LIFETIME.source },
  (value) => {
    const match = typeof value === 'string' ? LIFETIME.exec(value) : null;
    if (!match) return undefined;
    const lifetimeMs = Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
    return lifetimeMs <= LIFETIME_DAYS_MAX * UNIT_MS.d ? lifetimeMs : undefined;
  },
);

/** Read as the dataset's catalog id. */
export const DATASET: FieldKind<Dataset> = kindOf(
  'the id or the text id of a dataset, such as US1032 or eq_taq',
  { type: 'string', minLength: 1, examples: ['US1032'] },
  (value, { catalog }) =>
    typeof value === 'string' ? (catalog.byId(value) ?? catalog.byTextId(value)) : undefined,
);

export function choiceOf<T extends string>(values: readonly T[]): FieldKind<T> {
  return kindOf(`one of ${values.join(', ')}`, { type: 'string', enum: [...values] }, (value) =>
    values.find((candidate) => candidate === value),
  );
}

const EMAIL_CHARACTERS_MAX = 254;
const EMAIL_FORM = /^[^\s@"(),:;<>[\\\]]+@[\p{L}\p{N}]+(?:[.-][\p{L}\p{N}]+)*$/u;

const EMAIL_PATTERN =
  '^[^\\s@"(),:;<>\\[\\\\\\]]+@[A-Za-z0-9\\u00a1-\\uffff]+([.-][A-Za-z0-9\\u00a1-\\uffff]+)*$';

/** One person has one address, in whichever letters it was typed. */
function normalEmail(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

export const EMAIL = kindOf(
  `an e-mail address of at most ${EMAIL_CHARACTERS_MAX} characters`,
  { type: 'string', maxLength: EMAIL_CHARACTERS_MAX, pattern: EMAIL_PATTERN },
  (value) => {
    if (typeof value !== 'string' || value.length > EMAIL_CHARACTERS_MAX) return undefined;
    const email = normalEmail(value);
    return isPrintable(email) && EMAIL_FORM.test(email) ? email : undefined;
  },
);

/** Text that may be the e-mail address of a known person, in the form that the store keeps. */
export const KNOWN_EMAIL = kindOf(
  `a string of 1 to ${EMAIL_CHARACTERS_MAX} characters`,
  { type: 'string', minLength: 1, maxLength: EMAIL_CHARACTERS_MAX },
  (value) =>
    typeof value === 'string' && value !== '' && value.length <= EMAIL_CHARACTERS_MAX
      ? normalEmail(value.trim())
      : undefined,
);

const PASSWORD_CHARACTERS_MIN = 12;
const PASSWORD_CHARACTERS_MAX = 1024;

function passwordOf(charactersMin: number): FieldKind<string> {
  return kindOf(
    `a string of ${charactersMin} to ${PASSWORD_CHARACTERS_MAX} characters`,
    {
      type: 'string',
      format: 'password',
      minLength: charactersMin,
      maxLength: PASSWORD_CHARACTERS_MAX,
    },
    (value) =>
      typeof value === 'string' &&
      value.length <= PASSWORD_CHARACTERS_MAX &&
      [...value.normalize('NFC')].length >= charactersMin
        ? value
        : undefined,
  );
}

/** Only where no fault repeats what was given. */
export const NEW_PASSWORD = passwordOf(PASSWORD_CHARACTERS_MIN);
export const KNOWN_PASSWORD = passwordOf(1);

/** A text that is compared as it is: for looking things up. */
export const SEARCHED_TEXT = kindOf(
  `a string of 1 to ${NAME_CHARACTERS_MAX} characters`,
  { type: 'string', minLength: 1, maxLength: NAME_CHARACTERS_MAX, pattern: NO_CONTROLS_PATTERN },
  (value) =>
    typeof value === 'string' && value !== '' && value.length <= NAME_CHARACTERS_MAX
      ? value
      : undefined,
);

/** A list without repetitions; on the command line its entries are separated by commas. */
function listOf(item: FieldKind<string>, entries: string, max: number): FieldKind<string[]> {
  const legal = `a list of at most ${max} entries`;
  return {
    legal: `${legal}, each ${item.legal}`,
    schema: { type: 'array', items: item.schema, maxItems: max },
    ofText: (text) => text.split(',').map(item.ofText),
    read: (value, path, reading) => {
      if (!Array.isArray(value) || value.length > max) {
        reading.faults.push(fault(path, 'illegal_value', `should be ${legal} (${entries})`, value));
        return undefined;
      }
      const items = value.map((entry, at) => item.read(entry, [...path, String(at)], reading));
      return [...new Set(items)].filter((entry) => entry !== undefined);
    },
  };
}

const SUBNET_SCHEMA = {
  type: 'string',
  pattern: '^[0-9A-Fa-f:.]+(/[0-9]{1,3})?$',
  examples: ['192.0.2.0/24'],
};

/** Follows the name of the field, so it says what the field should be before it names the value. */
function subnetComplaint(value: unknown): string | null {
  const problem = typeof value === 'string' ? networkAddressProblem(value) : null;
  return problem && `should be a subnet: ${problem}`;
}

const SUBNET = kindOf(
  SUBNET_LEGAL,
  SUBNET_SCHEMA,
  (value) => (typeof value === 'string' ? parseSubnet(value)?.text : undefined),
  undefined,
  subnetComplaint,
);
/** Read as the words of the address. */
export const ADDRESS = kindOf(
  'an IPv4 or IPv6 address such as 203.0.113.7',
  { type: 'string', pattern: '^[0-9A-Fa-f:.]+$', examples: ['203.0.113.7'] },
  (value) => (typeof value === 'string' ? (parseAddress(value) ?? undefined) : undefined),
);
export const SUBNETS = listOf(SUBNET, 'CIDR subnets', SUBNETS_MAX);

const IDENTIFIER = kindOf(
  `an identifier of 1 to ${IDENTIFIER_CHARACTERS_MAX} characters without spaces, commas, control characters or invisible characters`,
  {
    type: 'string',
    minLength: 1,
    maxLength: IDENTIFIER_CHARACTERS_MAX,
    pattern: `^[^\\s,${UNPRINTABLE_SCHEMA}]+$`,
  },
  (value) =>
    typeof value === 'string' &&
    isPrintable(value) &&
    !/[\s,]/.test(value) &&
    value.length <= IDENTIFIER_CHARACTERS_MAX
      ? value
      : undefined,
);
export const UNIVERSE = listOf(IDENTIFIER, 'identifiers', UNIVERSE_MAX);

/** A kind that also takes null; `word` says it in a text. */
export function nullable<T>(kind: FieldKind<T>, word: string): FieldKind<T | null> {
  return {
    legal: `${kind.legal}, or null`,
    schema: { ...kind.schema, type: [kind.schema.type, 'null'] },
    ofText: (text) => (text === word ? null : kind.ofText(text)),
    read: (value, path, reading) => {
      if (value === null) return null;
      const faults: Fault[] = [];
      const read = kind.read(value, path, { ...reading, faults });
      for (const one of faults) {
        const [complaint, textComplaint] = ['null', word].map((or) => `${one.complaint}, or ${or}`);
        reading.faults.push({ ...one, complaint: complaint as string, textComplaint });
      }
      return read;
    },
  };
}

/** A limit of a quota. */
export const LIMIT = nullable(COUNT, 'unlimited');

/** An object that holds any of `names`, each a value of the same kind. */
export function partsOf<Name extends string, T>(
  names: readonly Name[],
  kind: FieldKind<T>,
): FieldKind<Partial<Record<Name, T>>> {
  const legal = `an object with any of ${names.join(', ')}, each ${kind.legal}`;
  const properties = Object.fromEntries(names.map((name) => [name, kind.schema]));
  return {
    legal,
    schema: { type: 'object', properties, additionalProperties: false },
    ofText: (text) => text,
    read: (value, path, reading) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        reading.faults.push(fault(path, 'illegal_value', `should be ${legal}`, value));
        return undefined;
      }
      const parts: Partial<Record<Name, T>> = {};
      for (const [name, part] of Object.entries(value)) {
        if (!(names as readonly string[]).includes(name)) {
          const complaint = `is unknown; it should be one of ${names.join(', ')}`;
          reading.faults.push(fault([...path, name], 'unknown_field', complaint, part));
          continue;
        }
        const read = kind.read(part, [...path, name], reading);
        if (read !== undefined) parts[name as Name] = read;
      }
      return parts;
    },
  };
}
