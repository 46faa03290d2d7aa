/** Rows without an ASID get one by `ticklake symbols assign`, as real commands and requests see. */
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import { newFolder, publishedRows, runByClock } from '../command-line/run-command.ts';
import { openTestService } from '../harness.ts';

const INPUTS = resolve(import.meta.dirname, '../../../../shared/inputs/owner');
const folder = newFolder();
afterAll(() => folder.remove());

let count = 0;
const newHome = () => join(folder.path, `home-${count++}`);
const run = (home: string, ...words: string[]) =>
  runByClock(fixedClock('2026-11-27T12:00:00Z'), home, ...words);

const HEADS: Readonly<Record<string, string>> = {
  eq_daily_ohlc: 'TradeDate,Ticker,ASID,ClosePrice',
  eq_trades: 'TradeDate,EventDateTime,Ticker,ASID,EventType,Price,Quantity,Exchange,ConditionCode',
  eq_secid_chains_lookup: 'ASID,Ticker,StartDate,EndDate',
  eq_adj_factors_basic: 'SecId,ASID,Ticker,EffectiveDate,AdjustmentFactor,AdjustmentReason,EventId',
};

async function load(home: string, dataset: string, lines: readonly string[], ...options: string[]) {
  const path = join(folder.path, `file-${count++}.csv`);
  writeFileSync(path, `${[HEADS[dataset], ...lines].join('\n')}\n`);
  const { exitCode, stderr } = await run(home, 'ingest', dataset, path, ...options);
  expect([exitCode, stderr]).toEqual([0, '']);
  return path;
}

async function assign(home: string, ...options: string[]) {
  const { exitCode, stdout, stderr } = await run(home, 'symbols', 'assign', ...options);
  return { exitCode, text: stdout + stderr };
}

/** `TICKER DATE ASID` of each row, in order. */
async function assigned(home: string): Promise<string[]> {
  const rows = await publishedRows(home, 'US1020', ['Ticker', 'TradeDate', 'ASID']);
  return rows.map((cells) => cells.map((cell) => cell ?? '-').join(' '));
}

/** The number that a row of `assigned` ends with. */
const numberOf = (row: string | undefined) => Number(row?.split(' ').at(-1));

const AAC = ['2009-03-02,AAC,,1', '2012-03-02,AAC,,2', '2015-03-02,AAC,,3'];
const AAC_USES = [
  '11,AAC,2007-01-03,2010-02-05',
  '12,AAC,2010-12-13,2012-10-15',
  '13,AAC,2014-10-02,2019-10-25',
];

describe('ticklake symbols assign', () => {
  it('gives a ticker one number when it is first met, which stays over later loads', async () => {
    const home = newHome();
    await load(home, 'eq_daily_ohlc', ['2026-01-02,AAA,,10', '2026-01-02,BBB,,20']);
    const first = await assign(home);
    expect(first.exitCode).toBe(0);
    const [aaa, bbb] = (await assigned(home)).map(numberOf);
    expect(aaa).toBeGreaterThan(0);
    expect(bbb).not.toBe(aaa);
    expect(first.text).toBe(
      `AAA: ${aaa}, 1 row from 2026-01-02 to 2026-01-02\n` +
        `BBB: ${bbb}, 1 row from 2026-01-02 to 2026-01-02\n` +
        'US1020 eq_daily_ohlc: 2 rows in 1 partition, in place of 2 rows\n',
    );
    const told = `gave rows these ASIDs: AAA ${aaa}, BBB ${bbb}`;
    expect((await run(home, 'publication', 'show', '2')).stdout).toContain(told);
    const record = JSON.parse((await run(home, 'publication', 'show', '2', '--json')).stdout);
    expect([record.state, record.message]).toEqual(['published', told]);
    const file = await load(home, 'eq_daily_ohlc', ['2026-01-05,AAA,,11', '2026-01-05,BBB,,21']);
    expect((await assign(home)).exitCode).toBe(0);
    expect(await assigned(home)).toEqual([
      `AAA 2026-01-02 ${aaa}`,
      `BBB 2026-01-02 ${bbb}`,
      `AAA 2026-01-05 ${aaa}`,
      `BBB 2026-01-05 ${bbb}`,
    ]);
    expect(await assign(home)).toEqual({ exitCode: 3, text: 'no ASID was assigned\n' });
    const again = await run(home, 'ingest', 'eq_daily_ohlc', file);
    expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining('been replaced')]);
  });

  it('says what it would do and does nothing in a dry run', async () => {
    const home = newHome();
    await load(home, 'eq_daily_ohlc', ['2026-01-02,AAA,,10']);
    const preview = await assign(home, '--dry-run');
    expect(preview).toEqual({
      exitCode: 0,
      text: expect.stringMatching(
        /^AAA: \d+, 1 row from 2026-01-02 to 2026-01-02\nDry run: nothing was published/,
      ),
    });
    expect(await assigned(home)).toEqual(['AAA 2026-01-02 -']);
    const { text } = await assign(home);
    expect(text.split('\n')[0]).toBe(preview.text.split('\n')[0]);
    expect((await assign(home, '--dry-run')).exitCode).toBe(3);
  });

  it('tells companies apart that had one ticker, by the dates of the lookup', async () => {
    const home = newHome();
    await load(home, 'eq_daily_ohlc', [...AAC, '2013-03-01,AAC,,4', '2013-03-01,ZVZZT,,5']);
    await load(home, 'eq_secid_chains_lookup', [...AAC_USES, ',ZVZZT,2007-01-03,2099-12-31']);
    expect((await assign(home)).exitCode).toBe(0);
    const [first, second, between, test, third] = await assigned(home);
    expect([first, second, test, third]).toEqual([
      'AAC 2009-03-02 11',
      'AAC 2012-03-02 12',
      'ZVZZT 2013-03-01 -',
      'AAC 2015-03-02 13',
    ]);
    expect([11, 12, 13]).not.toContain(numberOf(between));
  });

  it('leaves ASIDs as they are until it is told to correct them by the lookup', async () => {
    const home = newHome();
    await load(home, 'eq_daily_ohlc', AAC);
    await assign(home);
    const before = await assigned(home);
    await load(home, 'eq_secid_chains_lookup', AAC_USES);
    const told = await assign(home);
    expect(told).toEqual({
      exitCode: 3,
      text: expect.stringContaining('3 rows with another ASID'),
    });
    expect(await assigned(home)).toEqual(before);
    expect((await assign(home, '--correct')).exitCode).toBe(0);
    expect((await assigned(home)).map(numberOf)).toEqual([11, 12, 13]);
    await load(home, 'eq_secid_chains_lookup', ['21,AAC,2007-01-03,2019-10-25'], '--allow-loss');
    const corrected = await assign(home, '--correct');
    expect((await assigned(home)).map(numberOf)).toEqual([21, 21, 21]);
    expect(corrected.text).toContain('AAC: 21 in place of 12, 1 row from 2012-03-02');
    const last = JSON.parse((await run(home, 'publication', 'show', '7', '--json')).stdout);
    const texts = ['AAC 21 in place of 11', 'AAC 21 in place of 12', 'AAC 21 in place of 13'];
    expect(last.message).toBe(`gave rows these ASIDs: ${texts.join(', ')}`);
  });

  it('takes the only number that rows of a ticker have, and no number where there are two', async () => {
    const home = newHome();
    await load(home, 'eq_daily_ohlc', [
      ...['2026-01-02,AAA,7,10', '2026-01-02,BBB,8,20', '2026-01-05,AAA,,11'],
      ...['2026-01-05,BBB,9,21', '2026-01-06,BBB,,22'],
    ]);
    const { text } = await assign(home);
    expect(text).toContain(
      'warning: BBB from 2026-01-06 to 2026-01-06 gets no ASID: other rows have the ASIDs 8, 9\n',
    );
    expect((await assigned(home)).slice(2)).toEqual([
      'AAA 2026-01-05 7',
      'BBB 2026-01-05 9',
      'BBB 2026-01-06 -',
    ]);
  });

  it('gives loaded days an ASID beside derived ones, which are derived again', async () => {
    const home = newHome();
    await load(home, 'eq_daily_ohlc', ['2026-01-02,AAA,,10']);
    await load(home, 'eq_trades', ['2026-01-05,2026-01-05T10:00:01,AAA,,TRADE,11,100,NYSE,1']);
    expect((await run(home, 'derive', 'eq_daily_ohlc')).exitCode).toBe(0);
    const warning = 'derived row without an ASID; ticklake derive takes it from their input';
    const first = await assign(home);
    expect(first).toEqual({ exitCode: 0, text: expect.stringContaining(`warning: 1 ${warning}`) });
    const [loaded, derived] = await assigned(home);
    expect(numberOf(loaded)).toBeGreaterThan(0);
    expect(derived).toBe('AAA 2026-01-05 -');
    const again = await assign(home);
    expect(again).toEqual({ exitCode: 3, text: expect.stringContaining(warning) });
    expect((await run(home, 'derive', '--stale', 'eq_daily_ohlc')).exitCode).toBe(0);
    expect(await assigned(home)).toEqual([loaded, `AAA 2026-01-05 ${numberOf(loaded)}`]);
    expect(await assign(home)).toEqual({ exitCode: 3, text: 'no ASID was assigned\n' });
  });

  it('reads all datasets for the numbers of those that are named', async () => {
    const home = newHome();
    await load(home, 'eq_daily_ohlc', ['2026-01-02,AAA,,10']);
    const events = [',7,AAA,2026-01-05,0.5,Subdiv,1', ',,BBB,2026-01-05,0.5,Subdiv,2'];
    await load(home, 'eq_adj_factors_basic', events);
    const { text } = await assign(home, 'eq_daily_ohlc');
    expect(text).toContain('warning: 1 row without an ASID in datasets that are not named\n');
    expect(await assigned(home)).toEqual(['AAA 2026-01-02 7']);
    expect(await publishedRows(home, 'US2001', ['ASID'])).toEqual([['7'], [null]]);
  });

  it('warns of a ticker whose rows have another ASID than it got when it was first met', async () => {
    const home = newHome();
    await load(home, 'eq_daily_ohlc', ['2026-01-02,AAA,,10']);
    await assign(home);
    const [row] = await assigned(home);
    await load(home, 'eq_adj_factors_basic', [',7,AAA,2026-01-05,0.5,Subdiv,1']);
    expect((await assign(home)).text).toBe(
      'warning: 1 ticker with other ASIDs than when first met: ' +
        `AAA is ${numberOf(row)}, and rows have 7\nno ASID was assigned\n`,
    );
  });

  it('is rolled back as a whole, and gives the same numbers again', async () => {
    const home = newHome();
    await load(home, 'eq_daily_ohlc', ['2026-01-02,AAA,,10']);
    await load(home, 'eq_adj_factors_basic', [',,AAA,2026-01-05,0.5,Subdiv,1']);
    const { publication_id: id } = JSON.parse((await assign(home, '--json')).text);
    const rows = await assigned(home);
    const eventIds = () => publishedRows(home, 'US2001', ['ASID']);
    expect(await eventIds()).toEqual([[`${numberOf(rows[0])}`]]);
    expect((await run(home, 'publication', 'rollback', `${id}`)).exitCode).toBe(0);
    expect([await assigned(home), await eventIds()]).toEqual([['AAA 2026-01-02 -'], [[null]]]);
    await assign(home);
    expect(await assigned(home)).toEqual(rows);
  });

  it.each([
    ['eq_nothing', 'there is no dataset eq_nothing; ticklake datasets --all lists them'],
    ['fut_daily', 'fut_daily has no ticker, ASID and date; these have: eq_trades, '],
  ])('refuses %s', async (name, text) => {
    const refused = await assign(newHome(), name);
    expect(refused).toEqual({ exitCode: 2, text: expect.stringContaining(`ticklake: ${text}`) });
  });

  if (!existsSync(INPUTS)) console.warn(`skipped: there is no ${INPUTS}`);

  it.skipIf(!existsSync(INPUTS))('joins days and events, so that prices are adjusted', async () => {
    const home = newHome();
    const files = { eq_daily_ohlc: 'no-asid-days.csv', eq_adj_factors_basic: 'no-asid-events.csv' };
    for (const [dataset, name] of Object.entries(files)) {
      expect((await run(home, 'ingest', dataset, join(INPUTS, name))).exitCode).toBe(0);
    }
    const { exitCode, text } = await assign(home, '--derive');
    expect([exitCode, text]).toEqual([0, expect.stringContaining('eq_daily_ohlc_adj')]);
    expect(text).not.toContain('ASID');
    const [row] = await assigned(home);
    const service = await openTestService({}, undefined, home);
    const { body, headers } = await service.get(
      '/v1/data/us-equity/daily-ohlc?Ticker=AAPL&adjusted=true&period=20Y&response_format=csv' +
        '&TradeDate.in=2014-06-06,2014-06-09,2014-08-07&columns=ASID,ClosePrice,DailyVolume',
    );
    const asid = numberOf(row);
    expect(body.split('\n').slice(1, -1)).toEqual([
      `${asid},91.7678,4900`,
      `${asid},93.2362,700`,
      `${asid},94.48,700`,
    ]);
    expect(headers['x-unadjusted']).toBeUndefined();
    await service.close();
  });
});
