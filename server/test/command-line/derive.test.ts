import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openTestService } from '../harness.ts';
import { newFolder, publishedRows, runCommand } from './run-command.ts';

const folder = newFolder();
afterAll(() => folder.remove());
const run = (...words: string[]) => runCommand(folder.path, ...words);

test.each([
  [[], 'name a dataset, or give --all: '],
  [['eq_daily_ohlc', '--all'], 'give datasets or --all, not both'],
  [['eq_bars'], 'there is no dataset eq_bars; '],
  [['eq_taq'], 'eq_taq is loaded, not derived; derived are eq_trades, '],
  [['--all', '--from', 'today'], '--from must be a date YYYY-MM-DD, not today'],
  [['--all', '--from', '2025-06-18', '--to', '2025-06-17'], '--from 2025-06-18 is after --to'],
  [['--all', '--check', '--stale'], '--check and --stale cannot be used together'],
  [['--all', '--check', '--allow-loss'], '--check and --allow-loss cannot be used together'],
  [['--all', '--allow-loss'], '--allow-loss needs --replace-loaded: '],
])('derive %j is refused in one line', async (words, message) => {
  const { exitCode, stdout, stderr } = await run('derive', ...words);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr.split('\n')).toEqual([expect.stringContaining(`ticklake: ${message}`), '']);
});

/** Two trades in one minute, one in another, and an odd lot at a price of its own. */
const TRADES = `TradeDate,EventDateTime,Ticker,ASID,EventType,Price,Quantity,Exchange,ConditionCode
2025-06-18,2025-06-18T10:00:01,ABCD,7,TRADE,10,100,NYSE,1
2025-06-18,2025-06-18T10:00:02,ABCD,7,TRADE,11,300,FINRA,1
2025-06-18,2025-06-18T10:05:00,ABCD,7,TRADE,10.5,200,NYSE,1
`;
const FACTORS = `SecId,ASID,Ticker,EffectiveDate,AdjustmentFactor,AdjustmentReason,EventId
1,7,ABCD,2025-06-20,0.5,Subdiv,1
`;

function file(name: string, text: string): string {
  const path = join(folder.path, name);
  writeFileSync(path, text);
  return path;
}

async function load(dataset: string, text: string): Promise<void> {
  const { exitCode, stderr } = await run(
    ...['ingest', dataset, file(`${dataset}.csv`, text), '--allow-loss', '--again'],
  );
  expect([exitCode, stderr]).toEqual([0, '']);
}

test('derive computes, tells of each dataset, and finds nothing due after', async () => {
  await load('eq_trades', TRADES);
  await load('eq_adj_factors_basic', FACTORS);
  const names = ['eq_trades_1min', 'eq_trades_1min_adj', 'eq_daily_ohlc'];
  const { exitCode, stdout } = await run('derive', ...names);
  expect(stdout.split('\n').toSorted()).toEqual([
    '',
    'US1014 eq_trades_1min: 2 rows from 1 part',
    'US1016 eq_trades_1min_adj: 2 rows from 1 part',
    'US1020 eq_daily_ohlc: 1 row from 1 part',
  ]);
  expect(exitCode).toBe(0);
  const again = await run('derive', '--stale', ...names);
  expect(again.stdout).toMatch(/eq_trades_1min: nothing computed, 1 part up to date\n/);
  expect(again.stdout).toMatch(/nothing was due\n$/);
});

test('the ledger tells by which rule, with what and from which versions rows were computed', async () => {
  const shown = await run('publication', 'show', '3', '--json');
  const { sources } = JSON.parse(shown.stdout);
  const of = (id: string) => sources.find((each: { dataset_id: string }) => each.dataset_id === id);
  expect(of('US1014').derivation).toEqual({
    ...{ computation: 'equity_trade_bars', rule_version: 2, parameters: null },
    variant: { adjusted: false, aggregation_logic: 'vendor_default' },
    inputs: [{ dataset_id: 'US1001', dataset_version: 1 }],
  });
  // The bars are of the same publication, which gives them their version when it ends.
  expect(of('US1016').derivation.inputs).toEqual([
    { dataset_id: 'US1014', dataset_version: null },
    { dataset_id: 'US2001', dataset_version: 1 },
  ]);
  const { stdout } = await run('publication', 'show', '3');
  expect(stdout).toContain('equity_trade_bars, rule 2, of US1001 version 1');
});

test('derive --check shows the first rows that differ, and ends with exit code 2', async () => {
  const equal = await run('derive', 'eq_trades_1min', '--check');
  expect(equal).toMatchObject({
    exitCode: 0,
    stdout: 'US1014 eq_trades_1min: 2 rows compared, all equal\n',
  });
  await load('eq_trades', TRADES.replace(',11,300', ',12,300'));
  const { exitCode, stderr } = await run('derive', 'eq_trades_1min', '--check');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('  HighTradePrice: 1 row\n');
  expect(stderr).toContain('ABCD 2025-06-18T10:00:00-04:00: 11 published, 12 computed\n');
});

test('bars that were loaded are left, and the line says how they would be replaced', async () => {
  const header =
    'TradeDate,BarDateTime,Ticker,FirstTradePrice,HighTradePrice,LowTradePrice,LastTradePrice';
  const bars = `${header}\n2025-06-18,2025-06-18T10:00:00,ABCD,1,1,1,1\n`;
  await load('eq_trades_1min', bars);
  const left = await run('derive', 'eq_trades_1min');
  expect(left.stdout).toContain(
    'eq_trades_1min: nothing computed, 1 part left, where rows were loaded: 2025-06-18 (see --replace-loaded)',
  );
  const replaced = await run('derive', 'eq_trades_1min', '--replace-loaded');
  expect(replaced.stdout).toBe('US1014 eq_trades_1min: 2 rows from 1 part\n');
});

test('loaded rows of symbols without computed ones go only if somebody says so', async () => {
  await load('eq_trades', TRADES);
  const loaded = ['2025-06-17,ABCD', '2025-06-18,ABCD', '2025-06-18,LOAD'];
  const others = ['2025-06-18,X3', '2025-06-18,X2', '2025-06-18,X1'];
  const lines = [...loaded, ...others].map((line) => `${line},1,1,1,1,100`);
  const header = 'TradeDate,Ticker,OpenPrice,HighPrice,LowPrice,ClosePrice,MarketHoursVolume';
  await load('eq_daily_ohlc', [header, ...lines, ''].join('\n'));
  const refused = await run('derive', 'eq_daily_ohlc', '--replace-loaded');
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refused.stderr).toBe(
    'ticklake: eq_daily_ohlc 2025-06-18 would lose the loaded rows of LOAD, X1, X2 and 1 more, ' +
      'which have none computed; --allow-loss publishes it all the same\n',
  );
  const rows = async () => (await publishedRows(folder.path, 'US1020', ['Ticker'])).flat();
  expect(await rows()).toEqual(['ABCD', 'ABCD', 'LOAD', 'X1', 'X2', 'X3']);
  const allowed = await run('derive', 'eq_daily_ohlc', '--replace-loaded', '--allow-loss');
  expect(allowed.stdout).toBe('US1020 eq_daily_ohlc: 1 row from 1 part\n');
  expect(await rows()).toEqual(['ABCD', 'ABCD']);
  // Derived rows do not count as loaded.
  const again = await run('derive', 'eq_daily_ohlc', '--replace-loaded');
  expect(again.stdout).toBe('US1020 eq_daily_ohlc: 1 row from 1 part\n');
});

test('loaded rows stay on a day without ticks between days that have some', async () => {
  const other = newFolder();
  const files = {
    eq_trades: TRADES + TRADES.slice(TRADES.indexOf('\n') + 1).replaceAll('06-18', '06-16'),
    eq_daily_ohlc: 'TradeDate,Ticker,OpenPrice\n2025-06-17,LOAD,1\n',
  };
  try {
    for (const [name, text] of Object.entries(files)) {
      await runCommand(other.path, 'ingest', name, file(`${name}.csv`, text));
    }
    await runCommand(other.path, 'derive', 'eq_daily_ohlc');
    expect(await publishedRows(other.path, 'US1020', ['TradeDate', 'Ticker'])).toEqual([
      ['2025-06-16', 'ABCD'],
      ['2025-06-17', 'LOAD'],
      ['2025-06-18', 'ABCD'],
    ]);
  } finally {
    other.remove();
  }
});

test('rows without an id whose ticker has factors are left out of adjusted rows, with a warning', async () => {
  await load('eq_trades', TRADES.replaceAll(',7,', ',,'));
  const { stdout } = await run('derive', 'eq_trades_adj');
  expect(stdout).toBe(
    'US1002 eq_trades_adj: 0 rows from 1 part\n' +
      '  warning: rows of ABCD are left out: eq_adj_factors_basic has factors for ABCD, but the rows have no ASID\n',
  );
});

test('rows and factors without an id fit together by ticker, with a warning', async () => {
  await load('eq_adj_factors_basic', FACTORS.replace(',7,', ',,'));
  await load('eq_trades', TRADES.replaceAll(',7,', ',,'));
  const warned = 'US1002 eq_trades_adj: 3 rows from 1 part\n  warning: ';
  expect((await run('derive', 'eq_trades_adj')).stdout).toBe(
    `${warned}eq_trades has rows without an ASID: factors are found by ticker, ` +
      'as if no ticker had ever passed to another company\n',
  );
  const prices = async () => (await publishedRows(folder.path, 'US1002', ['Price'])).flat();
  expect(await prices()).toEqual(['5.0', '5.5', '5.25']);
  await load('eq_trades', TRADES);
  expect((await run('derive', 'eq_trades_adj')).stdout).toBe(
    `${warned}eq_adj_factors_basic has factors for ABCD without an ASID, but the rows have one\n`,
  );
  expect(await prices()).toEqual(['10.0', '11.0', '10.5']);
  await load('eq_adj_factors_basic', FACTORS);
});

test('trades are those among the ticks, on days for which none were loaded', async () => {
  const header = TRADES.slice(0, TRADES.indexOf('\n'));
  const ticks = ['QUOTE BID NB', 'TRADE NB', 'TRADE CANCELLED', 'QUOTE ASK', 'TRADE'].flatMap(
    (type, second) =>
      ['2025-06-17', '2025-06-18'].map(
        (day) => `${day},${day}T10:00:0${second},ABCD,7,${type},${10 + second},100,NYSE,1`,
      ),
  );
  await load('eq_taq', [header, ...ticks, ''].join('\n'));
  const { stdout } = await run('derive', 'eq_trades');
  expect(stdout).toBe(
    'US1001 eq_trades: 3 rows from 1 part, 1 part left, where rows were loaded: 2025-06-18 (see --replace-loaded)\n',
  );
  const service = await openTestService({}, undefined, folder.path);
  const rowsOn = async (dataset: string, day: string) =>
    (await service.get(`/v1/data/us-equity/${dataset}/${day}/ABCD`)).json().data;
  const due = (await rowsOn('eq-taq', '2025-06-17')).filter(
    ({ EventType: type }: { EventType: string }) => type.startsWith('TRADE'),
  );
  expect(due).toHaveLength(3);
  expect(await rowsOn('eq-trades', '2025-06-17')).toEqual(due);
  await service.close();
  await load('eq_taq', [header, ...ticks.slice(0, -2), ''].join('\n'));
  const again = await run('derive', 'eq_trades', '--stale');
  expect(again.stdout).toMatch(/^US1001 eq_trades: 2 rows from 1 part/);
});
