/**
 * Pages of ticks from a lake in a ClickHouse cluster: against the same rows sent by the cluster's
 * server over HTTP, and deep in a ticker against its first rows. Skipped where ClickHouse is not
 * installed.
 */
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { makeDemoAccount } from '@ticklake/demo/prepare-demo.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { Dataset } from '../../src/catalog/dataset.ts';
import { ingestFiles } from '../../src/ingest/ingest-files.ts';
import { openServices } from '../../src/open-services.ts';
import { readConfig } from '../../src/settings/config.ts';
import {
  ClickHouseCluster,
  type ClickHouseServer,
  missingClickHouse,
} from '../../test/clickhouse/cluster.ts';
import { Client } from '../client.ts';
import type { TickPage } from '../data/data-set.ts';
import { type Bench, type Benchmark, type Finding, ratio } from '../finding.ts';
import { race } from '../measure.ts';
import { startService } from '../service.ts';

const PAGE_ROWS = 10_000;
const DEEP_ROW = 500_000;

const pathOf = ({ date, ticker }: TickPage, offset = 0) =>
  `/data/us-equity/eq-taq/${date}/${ticker}?limit=${PAGE_ROWS}&offset=${offset}`;

/** Loads the ticks of one day into a lake in the cluster; returns the place of the day's part. */
async function loadDay({ data }: Bench, cluster: ClickHouseCluster, home: string) {
  const [[key = '', file = ''] = []] = data.tickFiles;
  const config = readConfig({ ...cluster.environment, TICKLAKE_LOG_LEVEL: 'silent' });
  const services = await openServices({ ...config, home }, systemClock);
  try {
    const { lake, catalog } = services;
    const dataset = { ...(catalog.byTextId('eq_taq') as Dataset), checks: [] };
    await ingestFiles({
      ...{ lake, dataset, files: [file], mode: 'replace', maxBadRows: 0, vendor: 'Bench' },
      signal: new AbortController().signal,
      onProgress: () => {},
    });
    await makeDemoAccount(services);
    const { parts = [] } = (await lake.snapshot(dataset.datasetId)) ?? {};
    const [, table = '', part = ''] = (parts[0]?.location ?? '').split('/');
    return { date: key, table, part, dataset };
  } finally {
    await services.close();
  }
}

/** Asks a server itself, over a connection that stays open; resolves when all bytes have come. */
function asking({ url }: ClickHouseServer, agent: Agent): (sql: string) => Promise<void> {
  const headers = { 'X-ClickHouse-User': 'ticklake_reader', 'X-ClickHouse-Key': 'reads' };
  return (sql) =>
    new Promise((resolve, reject) => {
      const options = { method: 'POST', agent, headers };
      const asked = request(`${url}/?database=lake`, options, (answer) => {
        answer.resume().on('end', resolve).on('error', reject);
        if (answer.statusCode !== 200) reject(new Error(`${answer.statusCode} for ${sql}`));
      });
      asked.on('error', reject).end(sql);
    });
}

/** The page of each ticker sent by the server itself, found by the ordinals of its rows alone. */
async function ownPages(
  server: ClickHouseServer,
  { table, part, dataset }: Awaited<ReturnType<typeof loadDay>>,
  pages: readonly TickPage[],
): Promise<string[]> {
  const named = `SELECT name FROM system.tables WHERE database = 'lake' AND name LIKE '%${table}'`;
  const name = `lake.${await server.query(named)}`;
  const columns = dataset.columns.map((column) => column.name).join(', ');
  const all: string[] = [];
  for (const { ticker } of pages) {
    const where = `part = ${part} AND Ticker = '${ticker}'`;
    const first = Number(await server.query(`SELECT min(ord) FROM ${name} WHERE ${where}`));
    const ordinals = `part = ${part} AND ord >= ${first} AND ord < ${first + PAGE_ROWS}`;
    all.push(`SELECT ${columns} FROM ${name} WHERE ${ordinals} ORDER BY ord FORMAT JSON`);
  }
  return all;
}

async function measure(bench: Bench): Promise<Finding[]> {
  if (missingClickHouse() !== null) return [];
  const cluster = new ClickHouseCluster();
  const agent = new Agent({ keepAlive: true });
  try {
    await cluster.start(1, 1);
    const [server] = cluster.servers as [ClickHouseServer];
    const home = join(bench.data.scratch, 'clickhouse');
    const day = await loadDay(bench, cluster, home);
    const pages = bench.data.flagshipPages.filter(({ date }) => date === day.date);
    const own = await ownPages(server, day, pages);
    const ask = asking(server, agent);
    const service = await startService(home, 'reading', cluster.environment);
    const client = new Client(service);
    const read = (offset: number) => async (turn: number) => {
      await client.read(pathOf(pages[turn % pages.length] as TickPage, offset));
    };
    try {
      const times = await race(bench.turns, {
        page: read(0),
        own: (turn) => ask(own[turn % own.length] as string),
        deep: read(DEEP_ROW),
      });
      const target = { is: 'at most', value: 1.3 } as const;
      const work = '10,000 ticks of a lake in ClickHouse';
      const page = { name: 'page', times: times.page };
      const itself = { name: 'the server by itself', times: times.own };
      const deep = { name: 'page', times: times.deep };
      return [
        ratio({ work: `${work}, JSON`, target }, page, itself),
        ratio({ work: `${work}, from row 500,000 on`, target }, deep, page),
      ];
    } finally {
      client.close();
      await service.stop();
    }
  } finally {
    agent.destroy();
    await cluster.close();
  }
}

export const CLICKHOUSE_LAKE: Benchmark = {
  name: 'clickhouse-lake',
  reads: ['eq_taq'],
  run: measure,
};
