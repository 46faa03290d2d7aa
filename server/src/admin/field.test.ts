import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/any-character.ts';
import { parseAddress } from '../access/subnet.ts';
import { loadCatalog } from '../catalog/load-catalog.ts';
import { valueOfText } from '../schema/read-value.ts';
import { nullable } from '../schema/schema.ts';
import { type Fault, type Field, type FieldKind, readFields, required } from './field.ts';
import {
  ADDRESS,
  COUNT,
  choiceOf,
  DATASET,
  DATE,
  EMAIL,
  FLAG,
  FUTURE_TIME,
  ID,
  KNOWN_EMAIL,
  KNOWN_PASSWORD,
  LIFETIME_MS,
  LIMIT,
  NAME,
  NEW_PASSWORD,
  pageLimit,
  partsOf,
  SEARCHED_TEXT,
  SUBNETS,
  TIME,
  UNIVERSE,
} from './field-kinds.ts';

const catalog = loadCatalog([new URL('../../../datasets', import.meta.url).pathname]);
const nowMs = Date.parse('2025-06-20T16:00:00Z');

const KINDS = {
  name: NAME,
  count: COUNT,
  id: ID,
  limit: LIMIT,
  rows: pageLimit(10),
  flag: FLAG,
  date: DATE,
  end: nullable(DATE, 'open'),
  time: TIME,
  expiry: FUTURE_TIME,
  lifetime: LIFETIME_MS,
  dataset: DATASET,
  text: SEARCHED_TEXT,
  subnets: SUBNETS,
  universe: UNIVERSE,
  parts: partsOf(['a', 'b'], LIMIT),
  choice: choiceOf(['one', 'other']),
  email: EMAIL,
  knownEmail: KNOWN_EMAIL,
  newPassword: NEW_PASSWORD,
  password: KNOWN_PASSWORD,
  address: ADDRESS,
};
const FIELDS: Record<string, Field<unknown>> = Object.fromEntries(
  Object.entries(KINDS).map(([name, kind]) => [name, required(kind as FieldKind<unknown>, 'help')]),
);

function read(input: Record<string, unknown>, fields = FIELDS) {
  const faults: Fault[] = [];
  return { values: readFields(fields, input, { catalog, nowMs, faults }), faults };
}

/** A legal value of each kind and what is read of it. */
const LEGAL: Record<keyof typeof KINDS, [unknown, unknown]> = {
  name: ['Zoe\u0308 & Co', 'Zo\u00eb & Co'],
  count: [0, 0],
  id: [1, 1],
  limit: [null, null],
  rows: [10, 10],
  flag: [false, false],
  date: ['2024-02-29', '2024-02-29'],
  end: [null, null],
  time: ['2025-06-20T12:00:00-04:00', nowMs],
  expiry: ['2025-06-20T16:00:01Z', nowMs + 1000],
  lifetime: ['90d', 90 * 86_400_000],
  dataset: ['eq_taq', catalog.byId('US1032')],
  text: [' any\n', ' any\n'],
  subnets: [
    ['2001:DB8::/32', '192.0.2.1'],
    ['2001:db8::/32', '192.0.2.1/32'],
  ],
  universe: [['BRK.B', 'BRK.B'], ['BRK.B']],
  parts: [{ b: 5 }, { b: 5 }],
  choice: ['other', 'other'],
  email: ['Zoe\u0308@Example.com', 'zo\u00eb@example.com'],
  knownEmail: [' Any one\n', 'any one'],
  newPassword: ['\u{1f600}'.repeat(12), '\u{1f600}'.repeat(12)],
  password: [' ', ' '],
  address: ['192.0.2.1', parseAddress('192.0.2.1')],
};

/** An illegal value of each kind, and what is said of it. */
const ILLEGAL: Record<keyof typeof KINDS, [value: unknown, complaint: string, type?: string]> = {
  name: [
    'a'.repeat(201),
    'should be a string of 1 to 200 characters without control or invisible characters, ' +
      'with no space at either end',
  ],
  count: [-1, 'should be a whole number from 0 to 9007199254740991'],
  id: [0, 'should be a whole number from 1 to 9007199254740991'],
  limit: [-1, 'should be a whole number from 0 to 9007199254740991, or null'],
  rows: [11, 'should be a whole number from 1 to 10'],
  flag: [0, 'should be true or false'],
  date: ['2023-02-29', 'should be a calendar date, YYYY-MM-DD, from 1900 to 2199'],
  end: ['open', 'should be a calendar date, YYYY-MM-DD, from 1900 to 2199, or null'],
  time: [
    '2025-06-20T12:00:00',
    'should be a time such as 2030-01-31T17:00:00Z, or a date, which means 00:00 UTC',
  ],
  expiry: [
    '2025-06-20T16:00:00Z',
    'should be a time such as 2030-01-31T17:00:00Z, or a date, which means 00:00 UTC, in the future',
  ],
  lifetime: ['36501d', 'should be a number and a unit s, m, h or d, such as 90d, up to 36500d'],
  dataset: ['EQ_TAQ', 'should be the id or the text id of a dataset, such as US1032 or eq_taq'],
  text: ['a'.repeat(201), 'should be a string of 1 to 200 characters'],
  subnets: [Array(1001).fill('::/0'), 'should be a list of at most 1000 entries (CIDR subnets)'],
  universe: [Array(10_001).fill('A'), 'should be a list of at most 10000 entries (identifiers)'],
  parts: [{ c: 1 }, 'is unknown; it should be one of a, b', 'unknown_field'],
  choice: ['another', 'should be one of one, other'],
  email: [
    `${'a'.repeat(243)}@example.com`,
    'should be an e-mail address of at most 254 characters, without letters that look like others',
  ],
  knownEmail: ['a'.repeat(255), 'should be a string of 1 to 254 characters'],
  newPassword: ['\u{1f600}'.repeat(11), 'should be a string of 12 to 1024 characters'],
  password: ['a'.repeat(1025), 'should be a string of 1 to 1024 characters'],
  address: ['192.0.2.0/24', 'should be an IPv4 or IPv6 address such as 203.0.113.7'],
};

const anything = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: anyCharacter }),
  fc.integer(),
  fc.double(),
  fc.constantFrom(...Object.values(LEGAL).map(([value]) => value)),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string())),
);

describe('readFields', () => {
  it('reads a legal value of each kind', () => {
    const input = Object.fromEntries(Object.entries(LEGAL).map(([name, [given]]) => [name, given]));
    const { values, faults } = read(input);
    expect(faults).toEqual([]);
    expect(values).toEqual(
      Object.fromEntries(Object.entries(LEGAL).map(([name, [, value]]) => [name, value])),
    );
  });

  it('says of an illegal value of each kind what would be legal', () => {
    for (const [name, [value, complaint, type = 'illegal_value']] of Object.entries(ILLEGAL)) {
      expect(read({ [name]: value }, { [name]: FIELDS[name] as Field<unknown> }).faults).toEqual([
        expect.objectContaining({ type, complaint }),
      ]);
    }
  });

  it('never throws, and gives for each field a value or faults that name it, never both', () => {
    fc.assert(
      fc.property(
        fc.record(Object.fromEntries(Object.keys(KINDS).map((name) => [name, anything])), {
          requiredKeys: [],
        }),
        (input) => {
          const { values, faults } = read(input);
          for (const name of Object.keys(KINDS)) {
            const own = faults.filter(({ path }) => path[0] === name);
            // Parts and entries that are legal are read beside those that are not.
            if (own.length === 0) expect(values[name], name).not.toBeUndefined();
            else if (own.some(({ path }) => path.length === 1))
              expect(values[name]).toBeUndefined();
          }
          expect(faults.every(({ path }) => (path[0] as string) in KINDS)).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('reads nothing but legal values', () => {
    fc.assert(
      fc.property(anything, (value) => {
        const all = Object.fromEntries(Object.keys(KINDS).map((name) => [name, value]));
        const { values, faults } = read(all);
        const good = (name: string) => !faults.some(({ path }) => path[0] === name);
        if (good('name')) expect(values.name).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,200}$/u);
        if (good('count'))
          expect(Number.isSafeInteger(values.count) && Number(value) >= 0).toBe(true);
        if (good('limit')) expect(value === null || (value as number) >= 0).toBe(true);
        if (good('flag')) expect([true, false]).toContain(value);
        if (good('date')) expect(new Date(`${value}`).toISOString().slice(0, 10)).toBe(value);
        if (good('time')) expect(values.time).toBe(Date.parse(String(value)));
        if (good('expiry')) expect(values.expiry).toBeGreaterThan(nowMs);
        if (good('dataset')) expect(catalog.datasets).toContain(values.dataset);
        for (const name of ['subnets', 'universe'].filter(good)) {
          const entries = values[name] as string[];
          expect(new Set(entries).size).toBe(entries.length);
          expect(entries.length).toBeLessThanOrEqual((value as unknown[]).length);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('reads what it has read again: canonical values stay as they are', () => {
    fc.assert(
      fc.property(anything, (value) => {
        for (const name of ['name', 'subnets', 'universe', 'date', 'count']) {
          const fields = { [name]: FIELDS[name] as Field<unknown> };
          const { values, faults } = read({ [name]: value }, fields);
          if (faults.length === 0) {
            expect(read({ [name]: values[name] }, fields)).toEqual({ values, faults: [] });
          }
        }
      }),
    );
  });

  it('repeats no more than a line of what it refuses', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 200, maxLength: 5000 }), (text) => {
        const { faults } = read({ date: text, subnets: [text], parts: { a: { [text]: text } } });
        for (const { input } of faults) expect(String(input).length).toBeLessThanOrEqual(100);
      }),
    );
    const { faults } = read({ date: { a: 1 }, time: [1], id: null }, FIELDS);
    const inputs = ['date', 'time', 'id'].map(
      (name) => faults.find(({ path }) => path[0] === name && path.length === 1)?.input,
    );
    expect(inputs).toEqual(['an object', 'an array', null]);
  });

  it('takes numbers, lists and nulls from texts as from JSON', () => {
    expect(valueOfText(COUNT, '12')).toBe(12);
    for (const text of ['1e3', '1.0', '01', '-0', '+1', ' 1'])
      expect(valueOfText(COUNT, text)).toBe(text);
    expect(valueOfText(LIMIT, 'unlimited')).toBeNull();
    expect(valueOfText(LIMIT, '12')).toBe(12);
    expect(valueOfText(FLAG, 'true')).toBe(true);
    expect(valueOfText(UNIVERSE, 'A,B')).toEqual(['A', 'B']);
    expect(valueOfText(UNIVERSE, '')).toEqual([]);
    expect(valueOfText(KINDS.end, 'open')).toBeNull();
  });
});
