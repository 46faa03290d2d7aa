import type { Problem } from '@ticklake/client';
import { describe, expect, it } from 'vitest';
import { ApiFailure, fieldMessages, mayHelpToRetry, ServerUnreachable } from './client';

function problem(field: string, msg: string): Problem {
  return { type: 'illegal_value', loc: ['body', field], msg, input: null, ctx: {} };
}

describe('the messages of a refusal', () => {
  it('stand at the fields that they name, without naming them again', () => {
    const failure = new ApiFailure(422, [
      problem('name', "'name' should be a text"),
      problem('expires_at', 'Something else'),
    ]);
    expect(fieldMessages(failure, ['name', 'expires_at'])).toEqual({
      name: 'This should be a text',
      expires_at: 'Something else',
    });
  });

  it('are kept whole where the form has no such field, and joined where there are several', () => {
    const failure = new ApiFailure(422, [
      problem('a', "'a' is missing"),
      problem('b', "'b' is missing"),
    ]);
    expect(fieldMessages(failure, ['name'])).toEqual({ '': "'a' is missing; 'b' is missing" });
  });

  it('are one text where the refusal is not about fields, and none without an error', () => {
    expect(fieldMessages(new ApiFailure(409, 'Too many keys'), ['name'])).toEqual({
      '': 'Too many keys',
    });
    expect(fieldMessages(new ServerUnreachable(), ['name'])['']).toContain('reach the server');
    expect(fieldMessages(null, ['name'])).toEqual({});
  });
});

describe('trying again', () => {
  it.each([
    [422, 'Should be a number', false],
    [403, 'The account is not authorized', false],
    [404, 'Dataset not found', false],
    [429, 'Monthly request limit exceeded: 100/100 requests.', false],
    [429, 'Per-minute request limit exceeded: 10/10 requests.', true],
    [500, 'Internal server error', true],
    [503, 'Service unavailable', true],
  ] as const)('after %i %s may help: %s', (status, detail, helps) => {
    expect(mayHelpToRetry(new ApiFailure(status, detail))).toBe(helps);
  });

  it('may help where the server was not reached', () => {
    expect(mayHelpToRetry(new ServerUnreachable())).toBe(true);
  });
});
