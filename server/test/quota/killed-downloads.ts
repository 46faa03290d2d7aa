/** Downloads of a server that is killed meanwhile: what is counted of them. */

import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openControlStore } from '../../src/open-home.ts';
import { addressOf } from '../../src/store/postgres/address.ts';
import { STEP_STATUS, type UsageAmounts } from '../../src/store/quantities.ts';
import type { UsageRecord } from '../../src/store/usage.ts';
import { ledgerAndTotal } from '../ledger-of.ts';
import {
  type Home,
  makeHome,
  type ServerProcess,
  startServer,
} from '../operation/server-process.ts';
import { sumOf } from './quota-service.ts';

const MIB = 1024 * 1024;
const STEP_BYTES = 8 * MIB;
/** Little, next to a step: the file has to last until some are stored. */
const PIECE_BYTES = MIB / 8;
/** The demo account. */
const ACCOUNT_ID = 1;
const BULK = '/v1/bulk/us-equity-ref/eq-trading-halts?response_format=arrow';

interface File {
  readonly url: string;
  readonly byte_count: number;
  readonly row_count: number;
}

interface Shown {
  readonly data_returned: number;
}

/** Begins a download. */
async function download(url: string): Promise<IncomingMessage> {
  const [response] = await once(get(url), 'response');
  return response as IncomingMessage;
}

/** Reads on until so many bytes have come, and then lets the server wait. */
async function readBytes(response: IncomingMessage, byteCount: number): Promise<number> {
  let readCount = 0;
  for await (const chunk of response.iterator({ destroyOnReturn: false })) {
    readCount += chunk.length;
    if (readCount >= byteCount) break;
  }
  return readCount;
}

export function testKilledDownloads(): void {
  let home: Home;
  let server: ServerProcess;
  let file: File;
  /** Requests that were answered whole. */
  let answeredCount = 0;
  /** Bytes a killed server had reserved but not sent; a shared store counts them for a minute. */
  let unsentBytes = 0;

  beforeAll(async () => {
    home = await makeHome(500_000, 10);
    await start();
    const answer = await fetch(`${server.url}${BULK}`, { headers: { 'x-api-key': server.key } });
    const { files } = (await answer.json()) as { files: [File] };
    answeredCount += 1;
    [file] = files;
  });
  afterAll(async () => {
    await kill();
    home.remove();
  });

  async function start(): Promise<void> {
    server = await startServer(home);
  }

  async function kill(): Promise<void> {
    server.child.kill('SIGKILL');
    await server.ended;
  }

  const urlOf = () => `${server.url}${new URL(file.url).pathname}`;

  /** Usage in the store, after checking that the sums agree. */
  async function stored(): Promise<{ records: UsageRecord[]; total: UsageAmounts }> {
    const { TICKLAKE_TEST_STORE: url } = process.env;
    const store = await openControlStore({ home: home.path, store: addressOf(url ?? '') ?? null });
    const read = await ledgerAndTotal(store.usage, ACCOUNT_ID);
    await store.close();
    expect(read.total).toEqual(sumOf(read.records));
    return read;
  }

  /** Usage in the store once every request is in it: they are counted after their answers. */
  async function settled() {
    await expect.poll(async () => (await stored()).total.requests).toBe(answeredCount);
    return await stored();
  }

  /**
   * Reads piece by piece until the store has twice caught up with the client. Returns the bytes
   * read.
   */
  async function readUntilStored(response: IncomingMessage, beforeBytes: number): Promise<number> {
    let readCount = 0;
    for (let mark = 0; mark < 2; mark++) {
      readCount += await readBytes(response, STEP_BYTES / 2);
      const markBytes = readCount;
      await expect
        .poll(async () => {
          readCount += await readBytes(response, PIECE_BYTES);
          return (await stored()).total.returnedBytes - beforeBytes;
        })
        .toBeGreaterThanOrEqual(markBytes);
    }
    return readCount;
  }

  async function shown(): Promise<Shown> {
    const headers = { 'x-api-key': server.key };
    const answer = await fetch(`${server.url}/v1/account/my/quotas`, { headers });
    answeredCount += 1;
    return ((await answer.json()) as { quotas_usage: { month: Shown } }).quotas_usage.month;
  }

  it('a server that is killed in a download has stored the steps before', async () => {
    const before = await settled();
    const response = await download(urlOf());
    response.on('error', () => undefined);
    await readUntilStored(response, before.total.returnedBytes);
    const { total } = await stored();
    await kill();

    const after = await stored();
    const countedBytes = after.total.returnedBytes - before.total.returnedBytes;
    expect(after.total.returnedBytes).toBeGreaterThanOrEqual(total.returnedBytes);
    expect(countedBytes).toBeLessThan(file.byte_count);
    expect(after.total.requests).toBe(before.total.requests);
    expect(after.total.scannedBytes).toBe(before.total.scannedBytes);

    await start();
    const { returnedBytes } = after.total;
    unsentBytes = file.byte_count - countedBytes;
    expect((await shown()).data_returned).toBeOneOf([returnedBytes, returnedBytes + unsentBytes]);
  });

  it('a download that comes to its end counts each byte once, as one request with all rows', async () => {
    const before = await settled();
    const addedTo = ({ records }: { records: UsageRecord[] }) =>
      records.slice(before.records.length).filter(({ datasetId }) => datasetId !== '');
    const response = await download(urlOf());
    const readCount = await readUntilStored(response, before.total.returnedBytes);
    const whileSending = await shown();
    expect(readCount + (await readBytes(response, file.byte_count))).toBe(file.byte_count);
    await expect.poll(async () => addedTo(await stored()).at(-1)?.status).toBe(200);

    const after = await stored();
    const { total } = after;
    const added = addedTo(after);
    const [last] = added.slice(-1);
    expect(added.length).toBeGreaterThan(1);
    expect(new Set(added.map(({ requestId }) => requestId)).size).toBe(1);
    expect(added.map(({ status }) => status)).toEqual([
      ...added.slice(1).map(() => STEP_STATUS),
      200,
    ]);
    expect(sumOf(added)).toEqual({
      requests: 1,
      scannedBytes: last?.scannedBytes,
      returnedBytes: file.byte_count,
    });
    expect(last?.rowCount).toBe(file.row_count);
    // All of it was reserved from its begin, and counted bytes no more.
    const returnedBytes = before.total.returnedBytes + file.byte_count;
    const { data_returned } = whileSending;
    expect(data_returned).toBeOneOf([returnedBytes, returnedBytes + unsentBytes]);
    expect(total.requests).toBe(before.total.requests + 2);
  });
}
