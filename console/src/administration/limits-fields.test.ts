import { describe, expect, it } from 'vitest';
import {
  bytesInputText,
  limitFields,
  limitProblems,
  limitsBody,
  parseBytes,
  parseCount,
} from './limits-fields';

describe('a limit of bytes', () => {
  it.each([
    ['0', 0],
    ['1500000', 1_500_000],
    ['1,500,000', 1_500_000],
    ['1.5 GB', 1_500_000_000],
    ['1.1gb', 1_100_000_000],
    ['12 bytes', 12],
    [' 2 TB ', 2_000_000_000_000],
  ])('reads %j', (text, bytes) => {
    expect(parseBytes(text)).toBe(bytes);
  });

  it.each(['', 'GB', '-1', '1.5', '1.5 bytes', '0.0001 kB', '1e9', '5 GiB', '99999 PB', '1 2'])(
    'refuses %j',
    (text) => {
      expect(parseBytes(text)).toBeNull();
    },
  );

  it.each([0, 1, 999, 1000, 1001, 1_500_000, 123_456_789, 2_500_000_000, Number.MAX_SAFE_INTEGER])(
    'is written so that %d reads back exactly',
    (bytes) => {
      expect(parseBytes(bytesInputText(bytes))).toBe(bytes);
    },
  );

  it('is written with the largest unit that fits', () => {
    expect(bytesInputText(1_500_000_000)).toBe('1.5 GB');
    expect(bytesInputText(500_000_000)).toBe('500 MB');
    expect(bytesInputText(123_456_789)).toBe('123456789');
  });
});

describe('a limit of requests', () => {
  it('is a whole number', () => {
    expect(parseCount('100,000')).toBe(100_000);
    expect(['', '1.5', '-1', 'many', '9'.repeat(20)].map(parseCount)).toEqual(Array(5).fill(null));
  });
});

const NONE = { requests: null, data_scanned: null, data_returned: null };
const KEPT = {
  month: { requests: 100_000, data_scanned: 2_500_000_000, data_returned: null },
  minute: NONE,
};

describe('the limits of an account', () => {
  it('send nothing while they are as they are kept', () => {
    expect(limitsBody(limitFields(KEPT), KEPT)).toEqual({});
  });

  it('send only what was changed, none as null', () => {
    const fields = {
      ...limitFields(KEPT),
      'month.requests': { isUnlimited: true, text: '100000' },
      'minute.data_returned': { isUnlimited: false, text: '50 MB' },
    };
    expect(limitsBody(fields, KEPT)).toEqual({
      month: { requests: null },
      minute: { data_returned: 50_000_000 },
    });
  });

  it('say what is no limit', () => {
    const fields = {
      ...limitFields(KEPT),
      'month.requests': { isUnlimited: false, text: '' },
      'month.data_scanned': { isUnlimited: false, text: '5 lots' },
      'minute.requests': { isUnlimited: true, text: 'ignored' },
    };
    const wrong = Object.entries(limitProblems(fields)).filter(([, problem]) => problem !== '');
    expect(wrong.map(([name]) => name)).toEqual(['month.requests', 'month.data_scanned']);
  });
});
