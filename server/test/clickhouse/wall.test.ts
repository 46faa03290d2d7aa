/** The wall by which a ClickHouse server itself checks rows, and the operators' page's users. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Column } from '../../src/catalog/dataset.ts';
import { textSql } from '../../src/engine/clickhouse/conditions.ts';
import { clickHouseEngine } from '../../src/engine/clickhouse/engine.ts';
import { Server } from '../../src/engine/clickhouse/server.ts';
import type { Row } from '../../src/engine/conformance/select-rows.ts';
import {
  never,
  openingOf,
  planOver,
  TestedEngine,
} from '../../src/engine/conformance/tested-engine.ts';
import { sampleDataset } from '../lake/sample-dataset.ts';
import { ClickHouseCluster, type ClickHouseServer, missingClickHouse } from './cluster.ts';

/** A proxy that records the statements sent to the server. */
async function recorded(
  url: string,
): Promise<{ url: string; statements: string[]; close: () => void }> {
  const statements: string[] = [];
  const proxy = createServer(async (asked, answer) => {
    const body = await buffer(asked);
    statements.push(body.toString('latin1'));
    const { authorization = '' } = asked.headers;
    const init = { method: 'POST', body, headers: { authorization } };
    const response = await fetch(new URL(asked.url ?? '', url), init);
    answer.writeHead(response.status).end(Buffer.from(await response.arrayBuffer()));
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, statements, close: () => proxy.close() };
}

describe.skipIf(missingClickHouse() !== null)('a ClickHouse server', () => {
  const cluster = new ClickHouseCluster();
  let url: string;

  beforeAll(async () => {
    await cluster.start(1, 1);
    url = cluster.servers[0]?.url ?? '';
  });
  afterAll(() => cluster.close());

  it('lets no row through the wall, whatever the statement says', async () => {
    const direct = new Server({ ...cluster.options, ...cluster.options.writer, url });
    await direct.run(
      'CREATE TABLE walled (Ticker Nullable(String)) ENGINE = MergeTree ORDER BY ()',
    );
    await direct.run("INSERT INTO walled VALUES ('A'), ('B'), ('A'), (NULL)");
    const wall = { table: 'walled', condition: `Ticker = ${textSql('A')}` };
    const counted = 'SELECT toFloat64(count()) AS found FROM walled';
    const answers = [counted, `${counted} WHERE 1`, `SELECT found FROM (${counted})`];
    const columns = [{ name: 'found', dataType: 'number' as const }];
    for (const sql of answers) {
      expect(await direct.rows({ sql, columns, wall }, never)).toEqual([[2]]);
    }
    expect(await direct.rows({ sql: counted, columns }, never)).toEqual([[4]]);
    await direct.close();
  });

  it('reads rows for an account only behind the wall', async () => {
    const { url: place, statements, close } = await recorded(url);
    const tested = new TestedEngine(
      openingOf(clickHouseEngine({ ...cluster.options, shards: [[place]] }), { queriesMax: 3 }),
    );
    await tested.open();
    const dataset = sampleDataset('day');
    const rows: Row[] = ['A', 'B', 'C'].map((name) => ['2026-11-18', name, 1n, 1, 1n, null]);
    const parts = await tested.writeParts(dataset, [rows]);
    const column = dataset.columnByName.get('Ticker') as Column;
    const universe = [{ column, operator: 'in' as const, values: ['A', 'C'] }];
    const plan = { ...planOver(dataset, parts), grants: [{ window: null, universe }] };
    statements.length = 0;
    expect(await tested.scan(plan)).toEqual([rows[0], rows[2]]);
    await tested.scan({ ...plan, sort: [{ column, descending: true }] });
    await tested.scan({ ...plan, comparedParts: [] });
    await tested.reader.countByDay(plan, never);
    const reading = statements.filter((sql) => /FROM `/.test(sql));
    expect(reading.length).toBeGreaterThanOrEqual(4);
    const bare = reading.filter((sql) => !sql.includes(', additional_table_filters = {'));
    expect(bare).toEqual([]);
    await tested.close();
    close();
  });

  it('knows all that the documented users and their profile name', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/clickhouse.md'), 'utf8');
    const [, documented = ''] = /```sql\n([\s\S]*?)```/.exec(page) ?? [];
    const statements = documented.split(';').map((sql) => sql.trim());
    expect(statements.filter((sql) => sql !== '')).toHaveLength(6);
    const [server] = cluster.servers as [ClickHouseServer];
    for (const sql of statements.filter((each) => each !== '')) {
      expect(await server.query(`SELECT formatQuery(${textSql(sql)})`)).not.toBe('');
    }
    const [, profile = ''] = /PROFILE ticklake_reading SETTINGS ([^;]*);/.exec(documented) ?? [];
    const names = [...profile.matchAll(/([a-z_]{4,})/g)].map(([name]) => textSql(name));
    const known = `SELECT count() FROM system.settings WHERE name IN (${names.join()})`;
    expect(names.length).toBeGreaterThan(5);
    expect(await server.query(known)).toBe(`${names.length}`);
  });
});
