import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { openCatalog } from '../../../open-services.ts';
import { isIdentifierText } from '../../identifier-text.ts';
import { rowRule } from './load-rows.ts';

test('the quick rule of identifiers takes of printable ASCII what the pattern takes', async () => {
  const dataset = openCatalog('', null).byTextId('fut_taq');
  if (!dataset) throw new Error('there is no such dataset');
  const c = dataset.columns.findIndex(({ name }) => name === 'Ticker');
  const rule = rowRule(dataset, dataset.columns, c);
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  const characters = `SELECT chr(unnest(range(32, 127))::INTEGER) AS a`;
  const reader = await connection.runAndReadAll(`WITH c AS (${characters}),
      two AS (SELECT a.a || b.a AS a FROM c AS a, c AS b),
      texts AS (FROM c UNION ALL FROM two UNION ALL SELECT c.a || two.a FROM c, two)
    SELECT a, ${rule?.holdsOfAscii} FROM (SELECT a, a AS value${c} FROM texts)`);
  const rows = reader.getRows() as [string, boolean][];
  expect(rows).toHaveLength(95 + 95 ** 2 + 95 ** 3);
  expect(rows.filter(([text, holds]) => holds !== isIdentifierText(text))).toEqual([]);
  instance.closeSync();
});
