/** Rows, and requests for them, when servers die, lose parts or do not answer. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { clickHouseEngine } from '../../src/engine/clickhouse/engine.ts';
import type { Row } from '../../src/engine/conformance/select-rows.ts';
import {
  type NewPart,
  never,
  openingOf,
  planOver,
  TestedEngine,
} from '../../src/engine/conformance/tested-engine.ts';
import { UnreadablePartError } from '../../src/engine/engine.ts';
import { sampleDataset } from '../lake/sample-dataset.ts';
import { ClickHouseCluster, type ClickHouseServer, missingClickHouse } from './cluster.ts';

/** Far more bytes than sockets hold. */
const ROWS = 150_000;
const TEXT = 'long '.repeat(100);
const daily = sampleDataset('day');

const cluster = new ClickHouseCluster();
let tested: TestedEngine;
let parts: NewPart[];

function rowOf(i: number): Row {
  return ['2026-11-18', `T${i % 5}`, BigInt(i), i, BigInt(i), [TEXT]];
}

const FEW_ROWS = [rowOf(1), rowOf(2)];

/** The replicas of the only shard. */
const replicas = () => cluster.shards[0] as [ClickHouseServer, ClickHouseServer];

/** Kills a server until the test is over. */
async function killed(server: ClickHouseServer): Promise<void> {
  onTestFinished(() => server.start());
  await server.kill();
}

const everything = () => planOver(daily, parts, { limit: ROWS });

/** The name of the table, with what the lake puts before it, and the number of a part. */
async function tableOf({ location }: NewPart): Promise<readonly [table: string, number: string]> {
  const [, table, number] = location.split('/') as [string, string, string];
  const [server] = replicas();
  const sql = `SELECT name FROM system.tables WHERE database = 'lake' AND name LIKE '%_${table}'`;
  const names = (await server.query(`${sql} FORMAT TabSeparated`)).split('\n');
  return [`lake.${names[0]}`, number];
}

async function drop(server: ClickHouseServer, part: NewPart): Promise<void> {
  const [table, number] = await tableOf(part);
  await server.query(`ALTER TABLE ${table} DROP PARTITION ${number}`);
}

const isMissing = missingClickHouse() !== null;

describe.skipIf(isMissing)('the ClickHouse engine, on a shard of two replicas,', () => {
  beforeAll(async () => {
    await cluster.start(1, 2);
    tested = new TestedEngine(openingOf(clickHouseEngine(cluster.options), { queriesMax: 3 }));
    await tested.open();
    parts = await tested.writeParts(daily, [Array.from({ length: ROWS }, (_, i) => rowOf(i))]);
  });
  afterAll(async () => {
    await tested?.close();
    await cluster.close();
  });

  it.each([0, 1])('gives every row once though replica %i dies in the middle', async (which) => {
    const numbers: number[] = [];
    for await (const { rowCount, columns } of tested.reader.scan(everything(), never)) {
      if (numbers.length === 0) await killed(replicas()[which] as ClickHouseServer);
      const { values } = columns[3] as { values: Float64Array };
      for (let row = 0; row < rowCount; row++) numbers.push(values[row] as number);
    }
    const due = Array.from({ length: ROWS }, (_, i) => i);
    const byTicker = due.toSorted((a, b) => (a % 5) - (b % 5) || a - b);
    expect(numbers).toEqual(byTicker);
  });

  it('says that nothing can be read when all replicas are gone, until one is back', async () => {
    const plan = planOver(daily, parts, { limit: 3 });
    const rows = await tested.scan(plan);
    for (const server of replicas()) await server.kill();
    await expect(tested.scan(plan)).rejects.toThrow(UnreadablePartError);
    await expect(tested.reader.check()).rejects.toThrow(UnreadablePartError);
    await replicas()[1].start();
    expect(await tested.scan(plan)).toEqual(rows);
    await tested.reader.check();
    await replicas()[0].start();
  });

  it('asks no replica for a part that it does not have whole', async () => {
    const [part] = (await tested.writeParts(daily, [FEW_ROWS])) as [NewPart];
    const plan = planOver(daily, [part]);
    expect(await tested.scan(plan)).toEqual(FEW_ROWS);
    const [table, number] = await tableOf(part);
    for (const server of replicas()) {
      await drop(server, part);
      await server.query(`INSERT INTO ${table} (part, ord) VALUES (${number}, 0)`);
      if (server === replicas()[0]) expect(await tested.scan(plan)).toEqual(FEW_ROWS);
    }
    await expect(tested.scan(plan)).rejects.toThrow(UnreadablePartError);
    await expect(tested.scan(plan)).rejects.toThrow('lacks rows');
  });

  it('publishes nothing that not every replica has', async () => {
    await tested.withWriter(daily, [FEW_ROWS], async (writer) => {
      const location = tested.storage.newLocation(daily, '2026-11-18');
      await replicas()[1].kill();
      await expect(writer.write('2026-11-18', location, null)).rejects.toThrow(
        `${replicas()[1].url} cannot be used: it cannot be reached; start the server, or correct TICKLAKE_LAKE; ` +
          'a load has to reach every replica',
      );
      await replicas()[1].start();
      expect(await tested.storage.findDamage({ location, storedByteCount: 0 })).toMatch('missing');
      expect((await writer.write('2026-11-18', location, null)).rowCount).toBe(2);
    });
  });

  it('notices altered rows when it reads a part again', async () => {
    const [part] = (await tested.writeParts(daily, [FEW_ROWS])) as [NewPart];
    const [table, number] = await tableOf(part);
    for (const server of replicas()) {
      await drop(server, part);
      await server.query(
        `INSERT INTO ${table} (part, ord, Ticker) VALUES (${number}, 0, 'A'), (${number}, 1, 'B')`,
      );
    }
    expect(await tested.storage.digestOf(part.location)).not.toBe(part.digest);
    await drop(replicas()[0], part);
    await replicas()[0].query(
      `INSERT INTO ${table} (part, ord, Ticker) VALUES (${number}, 0, 'A'), (${number}, 1, 'C')`,
    );
    await expect(tested.storage.digestOf(part.location)).rejects.toThrow('different rows');
  });

  it('hangs up when nobody wants the rows of a query any more', async () => {
    const hungUp = async () => {
      const counts = await Promise.all(replicas().map((server) => server.hungUp()));
      return counts.reduce((sum, count) => sum + count, 0);
    };
    const before = await hungUp();
    const abort = new AbortController();
    const batches = tested.reader.scan(everything(), abort.signal)[Symbol.asyncIterator]();
    await batches.next();
    abort.abort(new Error('enough'));
    await expect(batches.next()).rejects.toThrow('enough');
    await expect.poll(hungUp).toBe(before + 1);
  });
});
