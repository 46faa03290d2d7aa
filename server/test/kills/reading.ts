/** Clients that read pages and files and compare them with the rows of the one expected load. */
import { createHash } from 'node:crypto';
import type { Random } from '@ticklake/demo/random.ts';
import type { Asked, Clients } from './clients.ts';
import type { Loads } from './deployment.ts';
import { DATES, loadOf, pricesOf, TICKER } from './loads.ts';

const PAGE_ROWS = 400;
const OFFSETS = [0, 300, 1100];
const DAYS_PATH = '/v1/data/us-equity/eq-daily-ohlc?period=20Y&columns=OpenPrice';
const BULK_PATH = '/v1/bulk/us-equity/eq-taq';

interface ManifestFile {
  readonly url: string;
  readonly sha256: string;
  readonly row_count: number;
}

export class Reading {
  readonly #clients: Clients;
  readonly #loads: Loads;
  readonly #random: Random;
  /** The load of each version that was seen. */
  readonly #loadOfVersion = new Map<string, number>();
  #lastSeen = 0;

  constructor(clients: Clients, loads: Loads, random: Random) {
    this.#clients = clients;
    this.#loads = loads;
    this.#random = random;
  }

  /** Reads a page of ticks, sorted or not. Resolves to the load of its rows; null: no answer. */
  async readTicks(asked: Partial<Asked> = {}): Promise<number | null> {
    const date = this.#random.pick(DATES);
    const offset = this.#random.pick(OFFSETS);
    const isSorted = this.#random.chance(0.3);
    const known = this.#known;
    const page = `columns=Price&offset=${offset}&limit=${PAGE_ROWS}`;
    const path = `/v1/data/us-equity/eq-taq/${date}/${TICKER}?${page}`;
    const answer = await this.#clients.ask(
      'reader',
      isSorted ? `${path}&sort=-Price` : path,
      asked,
    );
    if (!this.#clients.isDue(answer, path)) return null;
    const prices = valuesOf(answer.body, 'Price');
    const load = loadOf(prices[0] ?? 0);
    this.#expectLoad(`ticks ${answer.version}`, load, known);
    const due = pricesOf(load, date);
    const rows = (isSorted ? due.toReversed() : due).slice(offset, offset + PAGE_ROWS);
    if (prices.join() !== rows.join()) this.#clients.problem(`${path}: not rows of load ${load}`);
    return load;
  }

  /** The other dataset that each load has rows of, whole. Resolves as `readTicks` does. */
  async readDays(asked: Partial<Asked> = {}): Promise<number | null> {
    const known = this.#known;
    const answer = await this.#clients.ask('reader', DAYS_PATH, asked);
    if (!this.#clients.isDue(answer, DAYS_PATH)) return null;
    const loads = valuesOf(answer.body, 'OpenPrice').map(loadOf);
    const [load = 0] = loads;
    this.#expectLoad(`days ${answer.version}`, load, known);
    if (loads.join() !== DATES.map(() => load).join()) {
      this.#clients.problem(`${DAYS_PATH}: rows of the loads ${loads}`);
    }
    return load;
  }

  /** All ticks as files. */
  async download(): Promise<void> {
    const known = this.#known;
    const manifest = await this.#clients.ask('reader', BULK_PATH);
    if (!this.#clients.isDue(manifest, BULK_PATH)) return;
    const { files } = JSON.parse(manifest.body.toString()) as { files: ManifestFile[] };
    const rowCount = files.reduce((sum, file) => sum + file.row_count, 0);
    if (!this.#isRowCountOfLoad(rowCount, known)) {
      this.#clients.problem(`${BULK_PATH}: ${rowCount} rows, of no load since ${known}`);
    }
    for (const { url, sha256 } of files) {
      const { pathname, search } = new URL(url, 'http://node');
      const file = await this.#clients.ask('reader', `${pathname}${search}`);
      if (!this.#clients.isDue(file, pathname)) continue;
      const digest = createHash('sha256').update(file.body).digest('hex');
      if (digest !== sha256) this.#clients.problem(`${pathname}: not the bytes of the manifest`);
    }
  }

  /** The latest load known to be out in both datasets, from its publisher or an answer. */
  get #known(): number {
    return Math.max(this.#loads.published, this.#lastSeen);
  }

  #isRowCountOfLoad(rowCount: number, known: number): boolean {
    for (let load = known; load <= this.#loads.begun; load++) {
      const counts = DATES.map((date) => pricesOf(load, date).length);
      if (counts.reduce((sum, count) => sum + count) === rowCount) return true;
    }
    return false;
  }

  /**
   * A request made after a load is out gets that or a later one, and each version holds one load.
   */
  #expectLoad(version: string, load: number, known: number): void {
    const { begun, failed } = this.#loads;
    if (load < known || load > begun) {
      this.#clients.problem(`load ${load}, though ${known} was out, and ${begun} begun`);
    }
    if (failed.has(load)) this.#clients.problem(`load ${load} is out, and is said to have failed`);
    this.#lastSeen = Math.max(this.#lastSeen, load);
    const before = this.#loadOfVersion.get(version) ?? load;
    this.#loadOfVersion.set(version, before);
    if (before !== load) this.#clients.problem(`version ${version} is load ${before} and ${load}`);
  }
}

function valuesOf(body: Buffer, column: string): number[] {
  const { data } = JSON.parse(body.toString()) as { data: Record<string, number>[] };
  return data.map((row) => row[column] as number);
}
