import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DAILY, EMPTY_QUERY, TICKS } from '../../test/fixtures/shapes';
import { ApiFailure, ServerUnreachable } from '../api/client';
import {
  type DownloadFormat,
  downloadName,
  type FileSink,
  type Progress,
  rowsOf,
  START,
  walkPages,
} from './download';
import type { ExplorerQuery } from './explorer-query';
import { requestOf } from './explorer-request';

const nameOf = (query: Partial<ExplorerQuery>, shape = DAILY) =>
  downloadName(requestOf({ ...EMPTY_QUERY, ...query }, shape), shape, 'parquet');

describe('downloadName', () => {
  it.each<[Partial<ExplorerQuery>, string]>([
    [{ identifier: 'AVQX', from: '2026-09-01', to: '2026-11-10' }, 'AVQX_2026-09-01_2026-11-10'],
    [{ identifier: 'BRK/B', from: '2026-09-01', to: '2026-09-01' }, 'BRK_B_2026-09-01'],
    [{ identifier: 'B,A', from: '2026-09-01' }, 'A_B_from_2026-09-01'],
    [{ identifier: 'D,C,B,A', to: '2026-09-01' }, 'A_B_C_and_1_more_to_2026-09-01'],
    [{ filters: [{ column: 'Ticker', operator: 'in', value: 'B,A' }] }, 'A_B'],
  ])('says dataset, identifiers and dates of %j', (query, words) => {
    expect(nameOf(query)).toBe(`eq-daily-ohlc_${words}.parquet`);
  });

  it('says what the path has', () => {
    const name = nameOf({ date: '2026-11-20', identifier: 'AVQX' }, TICKS);
    expect(name).toBe('eq-taq_2026-11-20_AVQX.parquet');
  });

  it('keeps the dates of a name that would be too long', () => {
    const name = nameOf({ identifier: 'A'.repeat(200), from: '2026-09-01', to: '2026-11-10' });
    expect(name).toMatch(/A_2026-09-01_2026-11-10\.parquet$/);
    expect(name).toHaveLength(120 + '.parquet'.length);
  });
});

const PAGE_ROWS = 10;

function csvPage(total: number, offset: number): { text: string; next: string } {
  const end = Math.min(total, offset + PAGE_ROWS);
  let text = offset === 0 ? '"N","X"\n' : '';
  for (let row = offset; row < end; row++) text += `${row},"a\nb"\n`;
  return { text, next: end < total ? String(end) : '' };
}

const ARROW_SCHEMA = [255, 255, 255, 255, 3, 0, 0, 0, 7, 7, 7];
const ARROW_END = [255, 255, 255, 255, 0, 0, 0, 0];

/** The frame of a stream: a schema, rows that are a byte here, and the end. */
function arrowPage(offset: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([...ARROW_SCHEMA, offset, ...ARROW_END]);
}

async function encoded(text: string, format: DownloadFormat): Promise<Uint8Array<ArrayBuffer>> {
  const plain = new Blob([text]).stream();
  const stream = format !== 'csv_gzip' ? plain : plain.pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function walkOf(total: number, format: DownloadFormat = 'csv') {
  const failures = new Map<number, (Error | 'broken' | 'cut')[]>();
  const written: Uint8Array<ArrayBuffer>[] = [];
  const state = { isFinished: false, waits: [] as number[], progress: [] as Progress[] };
  const abort = new AbortController();
  /** Offsets of pages whose bodies were given up. */
  const cancelled: number[] = [];
  const fetchPage = async (offset: number) => {
    const failure = failures.get(offset)?.shift();
    if (failure instanceof Error) throw failure;
    const { text, next } = csvPage(total, offset);
    const bytes = format === 'arrow' ? arrowPage(offset) : await encoded(text, format);
    if (format === 'parquet') {
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(bytes),
        cancel: () => {
          cancelled.push(offset);
        },
      });
      if (next !== '') return new Response(body, { headers: { 'X-Pagination-Next-Offset': next } });
    }
    const body =
      failure === 'broken'
        ? new ReadableStream({
            start(controller) {
              controller.enqueue(bytes.slice(0, 5));
              controller.error(new TypeError('network error'));
            },
          })
        : bytes.slice(0, failure === 'cut' ? 15 : undefined);
    return new Response(body, { headers: { 'X-Pagination-Next-Offset': next } });
  };
  const sink: FileSink = {
    write: async (chunks) => {
      written.push(...chunks);
    },
    finish: async () => {
      state.isFinished = true;
    },
    discard: async () => undefined,
  };
  const run = (from: Progress = START) =>
    walkPages(from, {
      fetchPage,
      format,
      signal: abort.signal,
      onProgress: (progress) => state.progress.push(progress),
      wait: async (milliseconds) => {
        state.waits.push(milliseconds);
      },
      sink,
    });
  return { run, abort, failures, state, sink, cancelled, file: () => new Blob(written) };
}

function wholeText(total: number): string {
  let text = '';
  for (let offset = 0; offset < total; offset += PAGE_ROWS) text += csvPage(total, offset).text;
  return text;
}

describe('walkPages', () => {
  it('puts the pages together to one file with one header line', async () => {
    const walk = walkOf(25);
    const end = await walk.run();
    expect(await walk.file().text()).toBe(wholeText(25));
    expect(walk.state.isFinished).toBe(true);
    expect(end).toMatchObject({ rows: 25, bytes: walk.file().size });
  });

  it('puts compressed pages together as members of one gzip file', async () => {
    const walk = walkOf(25, 'csv_gzip');
    expect((await walk.run()).rows).toBe(25);
    const file = gunzipSync(await walk.file().arrayBuffer());
    expect(file.toString()).toBe(wholeText(25));
  });

  it('writes no last page that cannot be unpacked, which is asked for again', async () => {
    const walk = walkOf(25, 'csv_gzip');
    walk.failures.set(20, ['cut']);
    await expect(walk.run()).rejects.toThrow();
    const end = await walk.run(walk.state.progress.findLast(({ offset }) => offset === 20)!);
    expect(end.rows).toBe(25);
    expect(gunzipSync(await walk.file().arrayBuffer()).toString()).toBe(wholeText(25));
  });

  it('joins Arrow streams to one, also when it is gone on with', async () => {
    const walk = walkOf(25, 'arrow');
    walk.failures.set(20, [new ApiFailure(422, 'no')]);
    await expect(walk.run()).rejects.toThrow('no');
    const end = await walk.run(walk.state.progress.at(-1)!);
    expect(end.rows).toBe(null);
    const bytes = [...new Uint8Array(await walk.file().arrayBuffer())];
    expect(bytes).toEqual([...ARROW_SCHEMA, 0, 10, 20, ...ARROW_END]);
  });

  it('takes a page of Parquet as the file, and refuses several before it reads one', async () => {
    const walk = walkOf(7, 'parquet');
    await walk.run();
    expect(await walk.file().text()).toBe(wholeText(7));
    const long = walkOf(25, 'parquet');
    await expect(long.run()).rejects.toThrow('do not fit into one Parquet file. Choose Arrow');
    expect(long.cancelled).toEqual([0]);
    expect([long.file().size, long.state.isFinished]).toEqual([0, false]);
  });

  it('counts the rows of a last page that is full, or empty', async () => {
    expect((await walkOf(20).run()).rows).toBe(20);
  });

  it('waits longer and longer while the service is busy, and loses nothing', async () => {
    const walk = walkOf(25);
    const busy = () => new ApiFailure(503, 'Too many queries wait');
    walk.failures.set(10, [busy(), new ServerUnreachable(), busy()]);
    await walk.run();
    expect(walk.state.waits).toEqual([2000, 5000, 15000]);
    expect(await walk.file().text()).toBe(wholeText(25));
    const pauses = walk.state.progress.map(({ pause }) => pause?.seconds).filter(Boolean);
    expect(pauses).toEqual([2, 5, 15]);
  });

  it('repeats no request that a limit refused, and goes on from there when it is told to', async () => {
    const walk = walkOf(25);
    walk.failures.set(10, [new ApiFailure(429, 'Per-minute request limit exceeded', 41)]);
    await expect(walk.run()).rejects.toThrow('Per-minute');
    expect(walk.state.waits).toEqual([]);
    expect((await walk.run(walk.state.progress.at(-1)!)).rows).toBe(25);
    expect(await walk.file().text()).toBe(wholeText(25));
  });

  it('fetches a page again that was broken off, without keeping its beginning', async () => {
    const walk = walkOf(25);
    walk.failures.set(10, ['broken']);
    await walk.run();
    expect(await walk.file().text()).toBe(wholeText(25));
  });

  it('finishes no file after a failure, and goes on from the offset', async () => {
    const walk = walkOf(25);
    walk.failures.set(20, [new ApiFailure(422, 'no')]);
    await expect(walk.run()).rejects.toThrow('no');
    expect(walk.state.isFinished).toBe(false);
    const reached = walk.state.progress.at(-1)!;
    expect(reached).toMatchObject({ offset: 20, rows: 20 });
    expect((await walk.run(reached)).rows).toBe(25);
    expect(await walk.file().text()).toBe(wholeText(25));
  });

  it('finishes no file that was cancelled while its last page was written', async () => {
    const walk = walkOf(5);
    walk.sink.write = async () => walk.abort.abort();
    await expect(walk.run()).rejects.toThrow('aborted');
    expect(walk.state.isFinished).toBe(false);
  });

  it('gives up on a server that stays away', async () => {
    const walk = walkOf(25);
    walk.failures.set(
      10,
      Array.from({ length: 6 }, () => new ServerUnreachable()),
    );
    await expect(walk.run()).rejects.toThrow('Can’t reach the server');
    expect(walk.state.waits).toHaveLength(5);
  });
});

describe('rowsOf', () => {
  it('counts lines across chunks, but not those inside quotes', () => {
    const bytes = new TextEncoder().encode('"A"\n1\n"x\n""y"\n\n');
    const chunks = [...bytes].map((byte) => Uint8Array.of(byte));
    expect(rowsOf(chunks, true)).toBe(3);
  });
});
