import { describe, expect, it } from 'vitest';
import { answerText } from './admin-commands.ts';

describe('a list of objects in an answer', () => {
  it('is a table of its own below the other values', () => {
    const added = [
      { rule_id: 7, dataset_id: 'US1020', universe_identifiers: [], end_date: null },
      { rule_id: 12, dataset_id: 'US1032', universe_identifiers: ['A', 'B'], end_date: null },
    ];
    expect(answerText({ added, skipped_dataset_ids: ['US1001'] })).toBe(
      [
        'skipped_dataset_ids  US1001',
        '',
        'added',
        'RULE ID  DATASET ID  UNIVERSE IDENTIFIERS  END DATE',
        '      7  US1020      -                     -',
        '     12  US1032      A,B                   -',
        '',
      ].join('\n'),
    );
    expect(answerText({ added: [], skipped_dataset_ids: [] })).toBe(
      'added                -\nskipped_dataset_ids  -\n',
    );
  });

  it('stands in one cell as JSON', () => {
    expect(answerText([{ id: 1, parts: [{ day: 'a' }, { day: 'b' }] }])).toContain(
      '{"day":"a"},{"day":"b"}',
    );
  });
});

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
