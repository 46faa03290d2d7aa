import { expect, it } from 'vitest';
import { IntegrityError } from './errors.ts';
import { exactJson } from './exact-json.ts';

it('integers keep all their digits, and permanent numbers are bigint', () => {
  const text =
    '{"asid":7,"asids":[{"asid":null}],"a":9007199254740993,"b":[-9223372036854775808,12],' +
    '"c":"9007199254740993, \\"9007199254740993","d":1234567890123456789.5,"e":1e21,"f":9007199254740991}';
  expect(exactJson(text)).toEqual({
    ...{ asid: 7n, asids: [{ asid: null }], a: 9007199254740993n },
    ...{ b: [-9223372036854775808n, 12], c: '9007199254740993, "9007199254740993' },
    ...{ d: 1234567890123456800, e: 1e21, f: 9007199254740991 },
  });
});

it('what is no JSON is an error of the client', () => {
  expect(() => exactJson('<html>Sign in</html>')).toThrow(IntegrityError);
  expect(() => exactJson('<html>Sign in</html>')).toThrow('a login page or a proxy');
});
