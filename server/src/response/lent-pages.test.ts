import fc from 'fast-check';
import { expect, it } from 'vitest';
import { planOfPath, TICKS } from '../../test/plan-of-path.ts';
import { sourceOfRows } from '../../test/source-of-rows.ts';
import { testSpool } from '../../test/test-spool.ts';
import { batchOfRows, type CellValue, type ColumnBatch } from '../engine/columns.ts';
import { CSV_FORMAT } from '../formats/csv.ts';
import { JSON_FORMAT } from '../formats/json.ts';
import { type Page, PageCache, renderPage } from './page.ts';

const PLAN = { ...planOfPath(`${TICKS}/AAA`), limit: 100_000 };
const ROWS_PER_BATCH = 2000;
const SPOOL = testSpool();

/** A batch of rows that only one page has. */
function batchOf(page: number): ColumnBatch {
  const cells: CellValue[] = PLAN.columns.map(({ dataType }) =>
    dataType === 'string' ? `page ${page}` : null,
  );
  return batchOfRows(PLAN.columns, Array<CellValue[]>(ROWS_PER_BATCH).fill(cells));
}

async function* rowsOf(page: number, batchCount: number, fails: boolean) {
  for (let b = 0; b < batchCount; b++) yield batchOf(page);
  if (fails) throw new Error('the file is gone');
}

const render = (page: number, batchCount: number, fails = false): Promise<Page> =>
  renderPage({
    ...{ plan: PLAN, pathParameters: [], spool: SPOOL },
    source: sourceOfRows(rowsOf(page, batchCount, fails)),
    format: page % 2 === 0 ? JSON_FORMAT : CSV_FORMAT,
  });

/** As it would be sent at this moment. */
async function textNow({ body }: Page): Promise<Buffer> {
  return Buffer.isBuffer(body) ? body : Buffer.concat(await Array.fromAsync(body.chunks()));
}

interface Answer {
  readonly page: Page;
  readonly text: Buffer;
}

const release = ({ page: { body } }: Answer) => Buffer.isBuffer(body) || body.release();

type Step = readonly ['render' | 'fail' | 'hit' | 'end', number];

const STEPS: fc.Arbitrary<Step[]> = fc.array(
  fc.tuple(fc.constantFrom('render', 'render', 'fail', 'hit', 'hit', 'end'), fc.nat(11)),
  { minLength: 5, maxLength: 18 },
);

/** Answers that are begun, kept, given again and ended in any order. */
async function play(steps: readonly Step[], pageCacheBytes: number): Promise<void> {
  const cache = new PageCache({ pageCacheBytes });
  const texts = new Map<number, Buffer>();
  const open: Answer[] = [];
  const begin: Record<Step[0], (n: number) => Promise<unknown>> = {
    render: async (n) => {
      const page = await render(n, (n % 6) + 1);
      const text = texts.get(n) ?? (await textNow(page));
      texts.set(n, text);
      open.push({ page: await cache.put(`${n}`, page), text });
    },
    fail: (n) => expect(render(n, 3, true)).rejects.toThrow('the file is gone'),
    hit: async (n) => {
      const page = cache.get(`${n}`);
      if (page) open.push({ page, text: texts.get(n) as Buffer });
    },
    end: async (n) => open.splice(n % (open.length + 1), 1).forEach(release),
  };
  for (let s = 0; s < steps.length; s += 3) {
    await Promise.all(steps.slice(s, s + 3).map(([kind, n]) => begin[kind](n)));
    for (const { page, text } of open) expect((await textNow(page)).equals(text)).toBe(true);
  }
  open.forEach(release);
}

it('no answer ever has the bytes of another, whoever ends, fails or is kept meanwhile', async () => {
  await fc.assert(fc.asyncProperty(STEPS, fc.constantFrom(0, 2e6, 8e6), play), { numRuns: 15 });
});

it('a body is lent as long as one of its holders has not released it', async () => {
  const cache = new PageCache({ pageCacheBytes: 8e6 });
  const { body } = await cache.put('tag', await render(1, 6));
  const again = cache.get('tag')?.body;
  if (Buffer.isBuffer(body) || !again || Buffer.isBuffer(again)) throw new Error('is too short');
  const text = Buffer.concat(await Array.fromAsync(body.chunks()));
  body.release();
  body.release();
  await cache.put('tag', await render(3, 6));
  await cache.put('other', await render(5, 6));
  expect(Buffer.concat(await Array.fromAsync(again.chunks())).equals(text)).toBe(true);
  again.release();
});
