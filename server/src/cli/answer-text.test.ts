import { describe, expect, it } from 'vitest';
import { answerText } from './answer-text.ts';

describe('the changes of an audit row', () => {
  it.each([
    [null, { name: 'a', on: true }, 'name a; on true'],
    [{ name: 'a' }, null, 'name a'],
    [{ name: 'a', on: true }, { name: 'b', on: true }, 'name a -> b'],
    [null, null, ''],
  ])('from %j to %j', (before, after, changes) => {
    const text = answerText([{ audit_id: 1, before, after }]);
    const [, row = ''] = text.split('\n');
    expect(row.slice('AUDIT ID  '.length).trim()).toBe(changes);
  });
});
