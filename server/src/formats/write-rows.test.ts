import { describe, expect, it } from 'vitest';
import { sourceOfRows } from '../../test/source-of-rows.ts';
import { LentBytes } from '../base/stored-bytes.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import { wholeBody } from '../response/page.ts';
import { BLOCK_BYTES, NO_TEXT } from './byte-sink.ts';
import { textBody, writeRows } from './write-rows.ts';

/** Two columns, so that 2048 rows are written in one turn. */
const COLUMNS = ['A', 'B'].map((name) => ({
  name,
  dataType: 'string' as const,
  fractionDigits: 0 as const,
  description: '',
}));

const frame = (offset: number, limit: number) => ({ columns: COLUMNS, offset, limit });

async function* batchesOf(
  rowCounts: readonly number[],
  release: () => void = () => undefined,
): AsyncGenerator<ColumnBatch> {
  for (const rowCount of rowCounts) yield { rowCount, columns: [], release };
}

/** The rows of each turn, and what they come to; `*` stands for a wait for room. */
async function turnsOf(rowCounts: number[], { offset = 0, limit = 100_000 } = {}) {
  const turns: string[] = [];
  const counts = await writeRows(
    batchesOf(rowCounts),
    frame(offset, limit),
    () => (from, to) => turns.push(`${from}-${to}`),
    {
      room: async () => {
        turns.push('*');
      },
    },
  );
  return { turns: turns.join(' '), ...counts };
}

describe('writeRows', () => {
  it('writes all rows of each batch, and waits for room after each turn', async () => {
    expect(await turnsOf([5000, 3])).toEqual({
      turns: '0-2048 * 2048-4096 * 4096-5000 * 0-3 *',
      rowCount: 5003,
      nextOffset: null,
    });
  });

  it('counts the rows of all batches against the limit', async () => {
    expect(await turnsOf([5, 5, 5], { offset: 20, limit: 7 })).toEqual({
      turns: '0-5 * 0-2 *',
      rowCount: 7,
      nextOffset: 27,
    });
  });

  it('knows of a next page by a single row more, and of none without', async () => {
    expect(await turnsOf([5, 1], { limit: 5 })).toMatchObject({ rowCount: 5, nextOffset: 5 });
    expect(await turnsOf([5], { limit: 5 })).toMatchObject({ rowCount: 5, nextOffset: null });
  });

  it('gives back the memory of a batch when its last row is written', async () => {
    const done: string[] = [];
    const batches = batchesOf([3000, 2], () => done.push('released'));
    await writeRows(batches, frame(0, 5000), () => (_, to) => done.push(`${to}`));
    expect(done).toEqual(['2048', '3000', 'released', '2', 'released']);
  });
});

const KIBIBYTE = 1024;

const NO_ROWS = sourceOfRows(batchesOf([]));

/** A body of texts, each of its own block. */
const bodyOf = (texts: readonly string[]) =>
  textBody(NO_ROWS, 'csv', async (sink) => {
    for (const text of texts) {
      sink.expectRows(10_000, 100);
      sink.copyString(NO_TEXT, text);
      sink.flush();
    }
    return { rowCount: 1, nextOffset: null };
  });

async function lentBody(texts: readonly string[]): Promise<LentBytes> {
  const { body } = await bodyOf(texts);
  expect(body).toBeInstanceOf(LentBytes);
  return body as LentBytes;
}

const buffersOf = ({ stretches }: LentBytes) =>
  stretches.map((stretch) => 'bytes' in stretch && stretch.bytes.buffer);

describe('textBody', () => {
  const long = 'x'.repeat(200 * KIBIBYTE);

  it('keeps every byte, in order', async () => {
    const texts = ['a', long, 'b', 'c', long, 'd'];
    expect((await wholeBody(await lentBody(texts))).toString()).toBe(texts.join(''));
    expect((await bodyOf(texts.slice(0, 1))).body).toEqual(Buffer.from('a'));
    expect((await bodyOf([])).body).toHaveLength(0);
  });

  it('writes page after page into the same memory, once it has been released', async () => {
    const first = await lentBody([long, long, long]);
    const buffers = new Set(buffersOf(first));
    first.release();
    for (let page = 0; page < 50; page++) {
      const body = await lentBody([long, long, long]);
      expect(buffersOf(body).every((buffer) => buffers.has(buffer))).toBe(true);
      body.release();
    }
  });

  it('holds little memory beyond its bytes', async () => {
    const body = await lentBody([long, 'short', long]);
    expect(body.lentBytes).toBe(2 * BLOCK_BYTES + 'short'.length);
    body.release();
  });

  it('gives its blocks back once, where writing fails', async () => {
    const texts = [long, 'a', long];
    const known = await lentBody(texts);
    const buffers = buffersOf(known);
    known.release();
    const failing = textBody(NO_ROWS, 'csv', async (sink) => {
      for (const text of texts) sink.copyString(NO_TEXT, text);
      throw new Error('the file is gone');
    });
    await expect(failing).rejects.toThrow('the file is gone');
    const [one, other] = [await lentBody([long, long]), await lentBody([long, long])];
    const lent = [...buffersOf(one), ...buffersOf(other)];
    expect(new Set(lent).size).toBe(lent.length);
    expect(lent.filter((buffer) => buffers.includes(buffer))).toHaveLength(2);
    one.release();
    other.release();
  });
});
