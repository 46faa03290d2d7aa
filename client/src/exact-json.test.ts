import { expect, it } from 'vitest';
import { IntegrityError } from './errors.ts';
import { exactJson } from './exact-json.ts';

it('numbers of securities and sizes are bigint with all their digits, all others are numbers', () => {
  const text =
    '{"asid":7,"asids":[{"asid":null}],"sec_id":9007199254740993,"a":9007199254740993,"b":[-9223372036854775808,12],' +
    '"c":"9007199254740993, \\"9007199254740993","d":1234567890123456789.5,"e":1e21,"f":9007199254740991,' +
    '"g":[0.30000000000000004,-0.9523456789012344,1.2345678901234567e-12,-12345678901234567.5]}';
  expect(exactJson(text)).toEqual({
    ...{ asid: 7n, asids: [{ asid: null }], sec_id: 9007199254740993n },
    ...{ a: 9007199254740992, b: [-(2 ** 63), 12], c: '9007199254740993, "9007199254740993' },
    ...{ d: 1234567890123456800, e: 1e21, f: 9007199254740991 },
    g: [0.1 + 0.2, -0.9523456789012344, 1.2345678901234567e-12, -12345678901234568],
  });
});

it('text that is no JSON is an error of the client', () => {
  expect(() => exactJson('<html>Sign in</html>')).toThrow(IntegrityError);
  expect(() => exactJson('<html>Sign in</html>')).toThrow('a login page or a proxy');
});
