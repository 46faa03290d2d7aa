import { describe, expect, it } from 'vitest';
import { structureOf } from '../schema/schema.ts';
import { optionText } from './field.ts';
import { OPERATIONS } from './operations.ts';

const FIELDS = OPERATIONS.flatMap(({ name, fields }) =>
  Object.entries(fields).map(([field, definition]) => ({
    name: `${name}.${field}`,
    ...definition,
  })),
);

describe('the administrative operations', () => {
  it('say what each field and each option is for', () => {
    for (const { name, help, options } of FIELDS) {
      expect(help, name).toMatch(/^\w.+[^.]$/);
      for (const option of options)
        expect(optionText({ help }, option), name).toMatch(/^\w.+[^.]$/);
    }
  });

  it('have an option for each field, and for each part of a field that is given by parts', () => {
    for (const { name, kind, options } of FIELDS) {
      expect(options.length, name).toBeGreaterThan(0);
      const parts = options.flatMap(({ at }) => at ?? []);
      const isByParts = options.some(({ at }) => at !== undefined);
      if (isByParts) expect(parts, name).toEqual(Object.keys(structureOf(kind).entries ?? {}));
    }
  });

  it('document that what they are about may not exist, and nothing but conflicts besides', () => {
    for (const { name, path, refusals } of OPERATIONS) {
      const isAboutOne = path.includes('/:');
      if (isAboutOne) expect(refusals, name).toContain('not found');
      expect(['not found', 'conflict'], name).toEqual(expect.arrayContaining([...refusals]));
    }
  });

  it('that list something say how much they list unless told', () => {
    const limits = FIELDS.filter(({ name }) => name.endsWith('.limit'));
    expect(limits.length).toBeGreaterThan(0);
    for (const { help } of limits) expect(help).toMatch(/; default: [1-9]\d*$/);
  });

  it('name the amounts that quotas limit, and in which span', () => {
    const helps = FIELDS.filter(({ name }) => name.startsWith('setQuotaLimits.m'));
    const amounts = 'Maximum requests, bytes scanned and bytes returned';
    expect(helps.map(({ help }) => help)).toEqual([
      `${amounts} in a month; null means unlimited`,
      `${amounts} in any 60 seconds; null means unlimited`,
    ]);
  });
});
