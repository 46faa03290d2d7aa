/** Deliveries that lack what is expected of them are refused or told, as the definition says. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import { datesInName, usualRowCount } from '../../src/ingest/deliveries.ts';
import { newFolder, publishedRows, runByClock } from '../command-line/run-command.ts';

const folder = newFolder();
afterAll(() => folder.remove());

const ID = 'US9001';
const definitionWith = (more: string) => `
id: ${ID}
text_id: own_bars
name: Own Bars
description: Bars of our own.
data_group: Own
dataset_class: Own
dataset_format: Market Data
time_granularity: Daily
creation_date: 2025-01-01
is_time_series: true
group: own
segment: own-bars
path: query
natural_order: [TradeDate, Ticker]
partition: { unit: month, column: TradeDate }
date_column: TradeDate
universe: [Ticker]
time_zone: America/New_York
calendar: XNYS
schedule: { days: trading, time: "18:00", late_at: "11:00 next day" }
columns:
  - { name: TradeDate, type: date, description: Day. }
  - { name: Ticker, type: string, description: Symbol. }
  - { name: Volume, type: integer, description: Shares. }
${more}
`;
const STRICT = 'expect: [{ date_in_name: true, usual_percent_min: 70, identifiers: [T0] }]';
const LENIENT = `
expect: [{ on_failure: warn, date_in_name: true, usual_percent_min: 70, usual_percent_max: 150, identifiers: [T0] }]
other_columns: warn`;

let count = 0;
const run = (home: string, ...words: string[]) =>
  runByClock(fixedClock('2025-06-17T14:00:00Z'), home, ...words);

/** So many rows of a date. */
const rowsOf = (date: string, rowCount: number, first = 0) =>
  Array.from({ length: rowCount }, (_, n) => `${date},T${first + n},100`);

function write(name: string, lines: readonly string[], header = 'TradeDate,Ticker,Volume'): string {
  const path = join(folder.path, `${count++}`);
  mkdirSync(path);
  writeFileSync(join(path, name), `${[header, ...lines].join('\n')}\n`);
  return join(path, name);
}

const HISTORY = ['2025-06-09', '2025-06-10', '2025-06-11', '2025-06-12', '2025-06-13'];

const newHome = () => join(folder.path, `home-${count++}`);

/** Homes by what is in their definition. */
const made = new Map<string, Promise<string>>();

/** A home with ten rows on each of five days: a copy of one, since loading them takes longer. */
async function homeWith(more: string): Promise<string> {
  const original = made.get(more) ?? makeHome(more);
  made.set(more, original);
  const home = newHome();
  cpSync(await original, home, { recursive: true });
  return home;
}

async function makeHome(more: string): Promise<string> {
  const home = newHome();
  mkdirSync(join(home, 'datasets'), { recursive: true });
  writeFileSync(join(home, 'datasets', 'own.yaml'), definitionWith(more));
  const history = HISTORY.flatMap((date) => rowsOf(date, 10));
  const loaded = await run(home, 'ingest', 'own_bars', write('20250609-20250613.csv', history));
  expect(loaded).toMatchObject({ exitCode: 0, stderr: '' });
  return home;
}

const alertsOf = async (home: string) => (await run(home, 'alerts')).stdout;
const datesOf = async (home: string) => [
  ...new Set((await publishedRows(home, ID, ['TradeDate'])).map(([date]) => date)),
];

const FAULTS = [
  [
    'a short first delivery',
    'bars-2025-06-16.csv',
    rowsOf('2025-06-16', 6),
    'a date has at least 70% of its usual rows; found 6 rows on 2025-06-16, where 10 are usual',
  ],
  [
    "yesterday's rows under today's name",
    'bars-2025-06-16.csv',
    rowsOf('2025-06-13', 10),
    'the rows of a file have the date in its name; found rows of 2025-06-13 and no rows of 2025-06-16 in FILE',
  ],
  [
    'a file without a date in its name',
    'bars.csv',
    rowsOf('2025-06-16', 10),
    'the rows of a file have the date in its name; found no date in the name FILE',
  ],
  [
    'a missing symbol',
    'bars-20250616.csv',
    rowsOf('2025-06-16', 10, 1),
    'each date has rows of certain identifiers; found none of T0 on 2025-06-16',
  ],
] as const;

it.each([
  ['x/20250101/trades-20260105.csv', ['2026-01-05']],
  ['2026-01-06_2026-01-05.csv.gz', ['2026-01-05', '2026-01-06']],
  ['trades-20260105160000.csv', ['2026-01-05']],
  ['order-120260105.csv', []],
  ['order-202601057.csv', []],
  ['trades-2026-02-31.csv', []],
])('the dates in the name %s are %j', (name, dates) => {
  expect(datesInName(name)).toEqual(dates);
});

describe('a faulty delivery', () => {
  it.each(FAULTS)(
    'refuses %s, and alerts tell of it until it has come',
    async (_, name, rows, text) => {
      const home = await homeWith(STRICT);
      const file = write(name, rows);
      const { exitCode, stderr } = await run(home, 'ingest', 'own_bars', file);
      expect([exitCode, stderr]).toEqual([
        2,
        expect.stringContaining(`check failed: ${text.replace('FILE', file)}\n`),
      ]);
      expect(await datesOf(home)).toEqual(HISTORY);
      expect(await alertsOf(home)).toContain(text.replace('FILE', file).replace(/.*found /, ''));
      const good = write('bars-2025-06-16.csv', rowsOf('2025-06-16', 10));
      const again = write('bars-2025-06-13.csv', rowsOf('2025-06-13', 10));
      expect(await run(home, 'ingest', 'own_bars', good)).toMatchObject({
        exitCode: 0,
        stderr: '',
      });
      expect((await run(home, 'ingest', 'own_bars', again)).exitCode).toBe(3);
      const told = await alertsOf(home);
      expect(told).toBe(name === 'bars.csv' ? told : 'Nothing needs your attention.\n');
    },
  );

  it.each(FAULTS)('warns of %s where the definition says so', async (_, name, rows, text) => {
    const home = await homeWith(LENIENT);
    const file = write(name, rows);
    const published = await run(home, 'ingest', 'own_bars', file);
    if (text.includes('2025-06-13 and')) expect(published.exitCode).toBe(3);
    else {
      expect(published.exitCode).toBe(0);
      expect(published.stdout).toContain(`warning: ${text.replace('FILE', file)}\n`);
      expect(await alertsOf(home)).toContain('was published with a warning: ');
      const good = write('bars-2025-06-16.csv', rowsOf('2025-06-16', 10));
      await run(home, 'ingest', 'own_bars', good, '--again', '--allow-loss');
      expect(await alertsOf(home)).toBe('Nothing needs your attention.\n');
    }
  });

  it('with replaced rows is in alerts until the file has other rows', async () => {
    const home = await homeWith('');
    const file = write('bars.csv', []);
    const load = async (date: string, count: number) => {
      writeFileSync(file, ['TradeDate,Ticker,Volume', ...rowsOf(date, count), ''].join('\n'));
      return (await run(home, 'ingest', 'own_bars', file)).exitCode;
    };
    expect([await load('2025-06-16', 10), await load('2025-06-16', 11)]).toEqual([0, 0]);
    expect(await load('2025-06-16', 10)).toBe(2);
    expect(await alertsOf(home)).toContain('have been replaced or withdrawn since');
    expect(await load('2025-06-17', 10)).toBe(0);
    expect(await alertsOf(home)).toBe('Nothing needs your attention.\n');
  });

  it('is not judged by rows and identifiers where rows are added to a date', async () => {
    const home = await homeWith(STRICT);
    const file = write('bars-20250613.csv', rowsOf('2025-06-13', 2, 10));
    expect((await run(home, 'ingest', 'own_bars', file, '--append')).exitCode).toBe(0);
  });

  it('is told by a dry run, which publishes nothing', async () => {
    const home = await homeWith(STRICT);
    const file = write('bars-20250616.csv', rowsOf('2025-06-16', 6));
    const { exitCode, stderr } = await run(home, 'ingest', 'own_bars', file, '--dry-run');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('where 10 are usual')]);
  });

  it('ends as an alert when somebody has looked after the warning', async () => {
    const home = await homeWith(LENIENT);
    await run(home, 'ingest', 'own_bars', write('bars-20250616.csv', rowsOf('2025-06-16', 16)));
    expect(await alertsOf(home)).toContain('at most 150% of its usual rows');
    expect((await run(home, 'publication', 'acknowledge', '2')).exitCode).toBe(0);
    expect(await alertsOf(home)).not.toContain('usual');
  });
});

describe('a new column', () => {
  const file = () =>
    write(
      '20250616.csv',
      rowsOf('2025-06-16', 10).map((row) => `${row},x`),
      'TradeDate,Ticker,Volume,Note',
    );

  it('is refused, unless the definition says that it warns', async () => {
    const { exitCode, stderr } = await run(await homeWith(''), 'ingest', 'own_bars', file());
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('has no column "Note"')]);
    const home = await homeWith(LENIENT);
    const warned = await run(home, 'ingest', 'own_bars', file());
    expect(warned.exitCode).toBe(0);
    expect(warned.stdout).toContain(
      'warning: the columns of the files are known; found Note, which is not read\n',
    );
    expect(await alertsOf(home)).toContain('found Note');
  });
});

it('a dataset is late until the rows of its last trading day are there, whatever else comes', async () => {
  const home = await homeWith('');
  const at = (time: string, ...words: string[]) => runByClock(fixedClock(time), home, ...words);
  const correct = (volume: string) =>
    write(
      '20250613.csv',
      rowsOf('2025-06-13', 10).map((row) => row.replace('100', volume)),
    );
  expect((await at('2025-06-17T14:59:00Z', 'alerts')).stdout).not.toContain('late');
  await at('2025-06-17T15:00:00Z', 'ingest', 'own_bars', correct('101'));
  expect((await at('2025-06-17T15:01:00Z', 'alerts')).stdout).toContain('its update is late');
  await at('2025-06-17T15:02:00Z', 'ingest', 'own_bars', write('x.csv', rowsOf('2025-06-16', 10)));
  expect((await at('2025-06-17T15:03:00Z', 'alerts')).stdout).not.toContain('late');
});

describe('usual rows', () => {
  const dataset = { calendar: 'XNYS' } as const;
  const of = (date: string, rowCount: number) => ({ date, rowCount });
  const days = ['2024-11-04', '2024-11-05', '2024-11-06', '2024-11-07', '2024-11-08'];

  it('are unknown before three dates are there, and on half days', () => {
    const published = days.map((date) => of(date, 10));
    expect(usualRowCount(dataset, '2024-11-11', published.slice(0, 2))).toBeNull();
    expect(usualRowCount(dataset, '2024-11-11', published)).toBe(10);
    expect(usualRowCount(dataset, '2024-11-29', published)).toBeNull();
  });

  it('leave later dates, old dates and half days out', () => {
    const others = [of('2024-07-01', 1), of('2024-07-03', 1), of('2024-11-12', 1)];
    const published = [
      ...others.slice(0, 2),
      of('2024-11-04', 10),
      of('2024-11-05', 20),
      of('2024-11-06', 40),
    ];
    expect(usualRowCount(dataset, '2024-11-11', [...published, ...others.slice(2)])).toBe(20);
  });

  it('are those of the weekday once six of them are known', () => {
    const mondays = [
      '2024-09-30',
      '2024-10-07',
      '2024-10-14',
      '2024-10-21',
      '2024-10-28',
      '2024-11-04',
    ];
    const published = [
      ...mondays.map((date) => of(date, 50)),
      ...days.slice(1).map((date) => of(date, 10)),
    ];
    expect(usualRowCount(dataset, '2024-11-11', published)).toBe(50);
    expect(usualRowCount(dataset, '2024-11-11', published.slice(1))).toBe(50);
    expect(usualRowCount(dataset, '2024-11-11', published.slice(4))).toBe(10);
  });
});
