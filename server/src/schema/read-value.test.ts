import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { jsonSchemaOf } from './json-schema.ts';
import { readValue, valueOfText } from './read-value.ts';
import { keywords, legal, legalText, nullable, objectOf, parsed } from './schema.ts';

const EVEN = v.pipe(
  v.number(),
  legal('an even number', (value) => (value === 7 ? 'an even number: 7 is odd' : null)),
  keywords({ multipleOf: 2 }),
  parsed((number) => (number % 2 === 0 ? number / 2 : undefined)),
);
const SCHEMA = v.pipe(
  objectOf({
    even: EVEN,
    end: v.exactOptional(nullable(v.pipe(v.string(), legal('a text')), 'open')),
    list: v.exactOptional(v.pipe(v.array(objectOf({ even: EVEN })), legal('a list'))),
  }),
  legal('an object'),
);

function faultsOf(value: unknown) {
  return readValue(SCHEMA, value).faults.map(({ path, type, legal }) => [
    path.join('.'),
    type,
    legal,
  ]);
}

describe('reading a value by its schema', () => {
  it('gives what its parts are read as', () => {
    expect(readValue(SCHEMA, { even: 4, end: null, list: [{ even: 6 }] })).toEqual({
      value: { even: 2, end: null, list: [{ even: 3 }] },
      faults: [],
    });
  });

  it('names every part that is illegal, missing or unknown, and what is legal there', () => {
    expect(faultsOf({ end: 5, list: [{ even: 7 }, { odd: 1 }], more: 1 })).toEqual([
      ['even', 'missing', 'an even number'],
      ['end', 'illegal_value', 'a text, or null'],
      ['list.0.even', 'illegal_value', 'an even number: 7 is odd'],
      ['list.1.even', 'missing', 'an even number'],
      ['list.1.odd', 'unknown_field', 'even'],
      ['more', 'unknown_field', 'even, end, list'],
    ]);
    expect(faultsOf([])).toEqual([['', 'illegal_value', 'an object']]);
    expect(faultsOf({ even: 4, list: {} })).toEqual([['list', 'illegal_value', 'a list']]);
  });

  it('says null in the word that stands for it where values are texts', () => {
    const [fault] = readValue(SCHEMA, { even: 4, end: 5 }).faults;
    expect(fault?.textLegal).toBe('a text, or open');
    expect(legalText(nullable(EVEN, 'none'))).toBe('an even number, or null');
  });

  it('keeps what is legal, and the positions in lists', () => {
    expect(readValue(SCHEMA, { even: 4, end: 5, list: [{ even: 1 }, { even: 2 }] }).value).toEqual({
      even: 2,
      end: undefined,
      list: [{ even: undefined }, { even: 1 }],
    });
  });

  it('goes by what the JSON Schema says, without our words', () => {
    const even = { type: 'number', multipleOf: 2 };
    expect(jsonSchemaOf(SCHEMA)).toEqual({
      type: 'object',
      properties: {
        even,
        end: { type: ['string', 'null'] },
        list: {
          type: 'array',
          items: {
            type: 'object',
            properties: { even },
            required: ['even'],
            additionalProperties: false,
          },
        },
      },
      required: ['even'],
      additionalProperties: false,
    });
  });
});

it.each(['constructor', 'toString', '__proto__', 'TRUE', ''])(
  'a text that is no boolean stays a text: %j',
  (text) => {
    expect(valueOfText(v.boolean(), text)).toBe(text);
  },
);

it('reads booleans by their words', () => {
  expect(['true', 'false'].map((text) => valueOfText(v.boolean(), text))).toEqual([true, false]);
});
