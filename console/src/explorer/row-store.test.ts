import { describe, expect, it, vi } from 'vitest';
import {
  missingText,
  type PageAnswer,
  RowStore,
  type RowStoreLimits,
  readCsvPage,
  splitHeader,
  splitLine,
} from './row-store';

function rowsOf(text: string): (string | null)[][] {
  const page = readCsvPage(text, 100);
  return Array.from({ length: page.rowCount }, (_, index) => page.row(index));
}

describe('splitLine', () => {
  it.each([
    ['a,b', ['a', 'b']],
    ['', [null]],
    [',', [null, null]],
    ['"",a', ['', 'a']],
    ['a,""', ['a', '']],
    ['"a,b",c', ['a,b', 'c']],
    ['"say ""yes""",', ['say "yes"', null]],
    ['""""', ['"']],
    ['1010000000700001,0.0000001', ['1010000000700001', '0.0000001']],
  ])('reads %j', (line, cells) => {
    expect(splitLine(line)).toEqual(cells);
  });
});

describe('readCsvPage', () => {
  it('keeps every cell as the text that it came as', () => {
    const time = '2026-11-19T04:00:00.001117348-05:00';
    expect(rowsOf(`${time},182.540,9007199254740993\n`)).toEqual([
      [time, '182.540', '9007199254740993'],
    ]);
  });

  it('does not end a row at a line feed inside quotes', () => {
    expect(rowsOf('1,"two\nlines, ""quoted"""\n2,"x"\n')).toEqual([
      ['1', 'two\nlines, "quoted"'],
      ['2', 'x'],
    ]);
  });

  it('counts an empty line of a single column as a row with a missing value', () => {
    expect(rowsOf('a\n\nb\n')).toEqual([['a'], [null], ['b']]);
  });

  it('reads a page whose quotes come late without looking for them at every row', () => {
    const text = `${'1,2,3\n'.repeat(1000)}"a""b,\n",\n`;
    const search = vi.spyOn(String.prototype, 'indexOf');
    const page = readCsvPage(text, 3000);
    const lookups = search.mock.calls.filter(([sought]) => sought === '"').length;
    search.mockRestore();
    expect(lookups).toBeLessThan(10);
    expect(page.rowCount).toBe(1001);
    expect(page.row(1000)).toEqual(['a"b,\n', null]);
  });

  it('has no rows where there is no text', () => {
    expect(rowsOf('')).toEqual([]);
  });
});

describe('splitHeader', () => {
  it('takes the names off and leaves the rows', () => {
    expect(splitHeader('"TradeDate","Ticker"\n2026-11-19,AVQX\n')).toEqual({
      columns: ['TradeDate', 'Ticker'],
      rows: '2026-11-19,AVQX\n',
    });
  });
});

const LIMITS: RowStoreLimits = { pageRows: 10, sizeMax: 1e6, rowsMax: 1e6 };

function pageOf(total: number, offset: number, limit: number): PageAnswer {
  const count = Math.max(0, Math.min(limit, total - offset));
  const rows = Array.from({ length: count }, (_, index) => `${offset + index},x\n`).join('');
  return {
    text: `${offset === 0 ? '"N","X"\n' : ''}${rows}`,
    nextOffset: offset + count < total ? offset + count : null,
    datasetVersion: '7',
    hint: null,
    hintCode: null,
    missing: offset === 0 ? 'No rows of 1 of 2 identifiers: NOPE' : null,
  };
}

function storeOf(total: number, limits: Partial<RowStoreLimits> = {}) {
  const offsets: number[] = [];
  let inFlight = 0;
  let mostInFlight = 0;
  const store = new RowStore(
    async (offset, limit) => {
      offsets.push(offset);
      inFlight += 1;
      mostInFlight = Math.max(mostInFlight, inFlight);
      await Promise.resolve();
      inFlight -= 1;
      return pageOf(total, offset, limit);
    },
    { ...LIMITS, ...limits },
  );
  return { store, offsets, mostInFlight: () => mostInFlight };
}

/** Pages come in microtasks, which all run before the next turn of the event loop. */
async function settled(store: RowStore): Promise<void> {
  await new Promise(setImmediate);
  expect(store.state().isReading).toBe(false);
}

async function want(store: RowStore, first: number, last: number): Promise<void> {
  store.want(first, last);
  await settled(store);
}

describe('RowStore', () => {
  it('reads no page before its rows are wanted', async () => {
    const { store, offsets } = storeOf(100);
    await want(store, 0, 5);
    expect(offsets).toEqual([0]);
    expect(store.state()).toMatchObject({
      ...{ columns: ['N', 'X'], rowCount: 10, end: 'open', datasetVersion: '7' },
    });
    await want(store, 4, 12);
    expect(offsets).toEqual([0, 10]);
    expect(store.row(11)).toEqual(['11', 'x']);
    expect(store.state().missing).toBe('No rows of 1 of 2 identifiers: NOPE');
  });

  it('has at most one page on its way, whatever is wanted meanwhile', async () => {
    const { store, mostInFlight } = storeOf(100);
    store.want(0, 5);
    store.want(0, 25);
    store.want(5, 30);
    await settled(store);
    expect(store.state().rowCount).toBe(40);
    expect(mostInFlight()).toBe(1);
  });

  it('stops at the end and says so', async () => {
    const { store, offsets } = storeOf(25);
    for (let row = 0; row < 60; row += 10) await want(store, row, row + 10);
    expect(store.state()).toMatchObject({ rowCount: 25, end: 'reached' });
    expect(offsets).toEqual([0, 10, 20]);
    expect(store.row(25)).toBeNull();
  });

  it('knows the end of an answer without rows', async () => {
    const { store } = storeOf(0);
    await want(store, 0, 5);
    expect(store.state()).toMatchObject({ columns: ['N', 'X'], rowCount: 0, end: 'reached' });
  });

  it('lets go of far pages, reads them again, and does not forget how many rows there are', async () => {
    const { store, offsets } = storeOf(1000, { sizeMax: 120 });
    for (let row = 0; row < 200; row += 10) await want(store, row, row + 9);
    expect(store.row(0)).toBeNull();
    expect(store.state().rowCount).toBe(200);
    await want(store, 0, 9);
    expect(offsets.at(-1)).toBe(0);
    expect(store.row(0)).toEqual(['0', 'x']);
    expect(store.state()).toMatchObject({ rowCount: 200, end: 'open', columns: ['N', 'X'] });
  });

  it('offers no more rows than its bound', async () => {
    const { store } = storeOf(1000, { rowsMax: 30 });
    for (let row = 0; row < 90; row += 10) await want(store, row, row + 9);
    expect(store.state()).toMatchObject({ rowCount: 30, end: 'capped' });
  });

  it('keeps its rows when a page fails, and goes on when asked to', async () => {
    let mayRead = true;
    const store = new RowStore(async (offset, limit) => {
      if (!mayRead) throw new Error('no');
      return pageOf(100, offset, limit);
    }, LIMITS);
    await want(store, 0, 5);
    mayRead = false;
    await want(store, 5, 15);
    expect(store.state()).toMatchObject({ rowCount: 10, isReading: false });
    expect(store.state().error).toBeInstanceOf(Error);
    mayRead = true;
    store.retry();
    await settled(store);
    expect(store.state()).toMatchObject({ rowCount: 20, error: null });
  });
});

it.each([
  ['2 of 3: BRK%2FA, NOPE', 'No rows of 2 of 3 identifiers: BRK/A, NOPE'],
  ['0 of 3', null],
  [null, null],
])('missing identifiers are told in words: %s', (header, text) => {
  expect(missingText(header)).toBe(text);
});
