/**
 * The most that one server has in memory over all that clients can do to it, one after the other:
 * sorts of long results, pages that nobody reads, outsiders, and bursts of requests.
 */
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { type Flood, peakBytesOf, startFlood } from '../../test/operation/flood.ts';
import { Client } from '../client.ts';
import type { DataSet } from '../data/data-set.ts';
import type { Bench, Benchmark } from '../finding.ts';
import { type Service, startService } from '../service.ts';

const MEGABYTE = 1e6;
const SORTS_AT_ONCE = 24;
const SORTED_COLUMNS = ['Volume', 'FirstTradePrice', 'HighTradePrice', 'LowTradePrice', 'Ticker'];
const UNREAD_FORMATS = ['parquet', 'json', 'arrow'];
const BURSTS_MAX = 6;
/** Pages that the account asks for during a phase, and after it, so that its bodies are gone. */
const ROUNDS = 20;
/** While an account reads none of its answers, further ones wait. */
const UNREAD_SECONDS_MAX = 15;

interface Phase extends Flood {
  readonly name: string;
  /** Asks without a key. */
  readonly isOutside?: boolean;
  readonly isUnread?: boolean;
}

function phasesOf(barsPath: string, bursts: number): readonly Phase[] {
  const burst = { connectionCount: 400, requestCount: 20, reads: true };
  return [
    ...UNREAD_FORMATS.map((format) => ({
      name: `unread ${format}`,
      connectionCount: 200,
      requestCount: 1,
      isUnread: true,
      target: `/v1${barsPath}&limit=${format === 'json' ? 10_000 : 1_000_000}&response_format=${format}`,
    })),
    {
      name: 'outsiders',
      connectionCount: 1500,
      requestCount: 200,
      addressCount: 24,
      target: '/v1/openapi.json',
      isOutside: true,
    },
    ...Array.from({ length: bursts }, (_, at) => ({
      name: `burst ${at + 1}`,
      ...burst,
      target: '/v1/meta/catalogue',
    })),
  ];
}

function barsPathOf({ listings }: DataSet): string {
  return `/data/us-equity/eq-taq-1min/${listings[0]!.ticker}?period=20Y`;
}

async function sortAtOnce(client: Client, barsPath: string): Promise<void> {
  const sorts = Array.from({ length: SORTS_AT_ONCE }, (_, at) => {
    const sort = `${at % 2 ? '-' : '%2B'}${SORTED_COLUMNS[at % SORTED_COLUMNS.length]}`;
    return client.read(`${barsPath}&interval=5m&sort=${sort}&limit=10000&offset=${at}`);
  });
  await Promise.all(sorts);
}

/** A page may be refused while the account itself asks for so much. */
async function askOn(client: Client, barsPath: string): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    await client.fetch(`${barsPath}&limit=10`).catch(() => null);
  }
}

async function measure({ url, key, process }: Service, client: Client, bench: Bench) {
  const { data, turns } = bench;
  const unreadMs = 1000 * Math.min(UNREAD_SECONDS_MAX, bench.loadSeconds);
  const barsPath = barsPathOf(data);
  const peaks: [string, number][] = [];
  const note = (name: string) => peaks.push([name, peakBytesOf(process.pid) / MEGABYTE]);
  await sortAtOnce(client, barsPath);
  await sortAtOnce(client, barsPath);
  note('sorts');
  const phases = phasesOf(barsPath, Math.min(BURSTS_MAX, turns.runs));
  for (const { name, isOutside = false, isUnread = false, ...attack } of phases) {
    const flood = await startFlood(new URL(url).port, attack, isOutside ? '' : key);
    await (isUnread ? wait(unreadMs) : askOn(client, barsPath));
    const ended = once(flood, 'close');
    flood.kill('SIGKILL');
    await ended;
    await askOn(client, barsPath);
    note(name);
  }
  return peaks;
}

export const FLOODS: Benchmark = {
  name: 'floods',
  reads: ['eq_taq_1min'],
  run: async (bench) => {
    // Thousands of warnings of refused requests would fill the screen.
    const settings = { TICKLAKE_LOG_LEVEL: 'error', TICKLAKE_QUERY_TIMEOUT_MS: '600000' };
    const service = await startService(bench.data.home, 'default', settings);
    const client = new Client(service);
    try {
      const peaks = await measure(service, client, bench);
      const [, figure] = peaks.at(-1)!;
      return [
        {
          work: 'sorts, unread pages, outsiders and bursts one after the other',
          measured: `${Math.round(figure)} MB at most`,
          compared: peaks.map(([name, peak]) => `${name} ${Math.round(peak)}`).join(', '),
          figure,
          unit: ' MB',
          target: { is: 'at most', value: 700 },
          details: Object.fromEntries(peaks),
        },
      ];
    } finally {
      client.close();
      await service.stop();
    }
  },
};
