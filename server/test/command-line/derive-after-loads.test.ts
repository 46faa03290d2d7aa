import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newFolder, runCommand, runWithSettings } from './run-command.ts';

const folder = newFolder();
const files = newFolder();
afterAll(() => {
  folder.remove();
  files.remove();
});

const SHIPPED = join(import.meta.dirname, '../../../datasets');

/** A dataset of the home that is another one but for its names. */
function define(textId: string, like: string, change: (text: string) => string): void {
  const text = change(readFileSync(join(SHIPPED, `${like}.yaml`), 'utf8'))
    .replace(/^id: US1/m, 'id: US9')
    .replace(/^text_id: .*/m, `text_id: ${textId}`)
    .replace(/^segment: .*/m, `segment: ${textId.replaceAll('_', '-')}`)
    .replace(/^variant: .*/m, 'variant: {}');
  writeFileSync(join(folder.path, 'datasets', `${textId}.yaml`), text);
}

/** Much comes from shipped trades; from these comes one dataset. */
beforeAll(() => {
  mkdirSync(join(folder.path, 'datasets'));
  define('my_trades', 'eq_trades', (text) => text.replace(/^derived_from: .*\n/m, ''));
  define('my_bars', 'eq_trades_1min', (text) =>
    text.replace('inputs: [eq_trades]', 'inputs: [my_trades]'),
  );
});

const run = (...words: string[]) => runCommand(folder.path, ...words);

const HEADER =
  'TradeDate,EventDateTime,Ticker,ASID,EventType,Price,Quantity,Exchange,ConditionCode';
const tradesOf = (date: string, price: number) =>
  `${HEADER}\n${date},${date}T10:00:01,ABCD,7,TRADE,${price},100,NYSE,1\n`;

function file(name: string, text: string): string {
  const path = join(files.path, name);
  writeFileSync(path, text);
  return path;
}

const BARS = 'US9014 my_bars: 1 row from 1 part';

test('a load derives what comes from it, and nothing that is not due', async () => {
  const path = file('first.csv', tradesOf('2025-06-16', 10));
  const { exitCode, stdout } = await run('ingest', 'my_trades', path, '--derive');
  expect(exitCode).toBe(0);
  expect(stdout).toContain('my_trades: version 1, 1 row in 1 partition\n');
  expect(stdout).toContain(`${BARS}\n`);
  const { stdout: shown } = await run('publication', 'list', '--dataset', 'my_bars');
  expect(shown).toContain('derivation');
  const second = file('second.csv', tradesOf('2025-06-17', 11));
  const next = await run('ingest', 'my_trades', second, '--derive');
  expect(next.stdout).toContain(`${BARS}, 1 part up to date\n`);
});

test('a load without it derives nothing, unless the setting says so', async () => {
  const path = file('third.csv', tradesOf('2025-06-18', 12));
  expect((await run('ingest', 'my_trades', path)).stdout).not.toContain('my_bars');
  const corrected = file('fourth.csv', tradesOf('2025-06-18', 13));
  const piped = await runWithSettings(
    folder.path,
    { TICKLAKE_DERIVE_AFTER_LOADS: 'on' },
    ...['ingest', 'my_trades', corrected, '--allow-loss', '--json'],
  );
  const { derivation } = JSON.parse(piped.stdout);
  expect(derivation.state).toBe('published');
  const bars = derivation.datasets.find((each: { text_id: string }) => each.text_id === 'my_bars');
  expect(bars).toMatchObject({ computed_part_count: 1, fresh_part_count: 2 });
});

test('a dataset from which nothing comes is loaded as ever', async () => {
  const holidays = 'Date,Holiday\n2025-06-19,Juneteenth\n';
  const { exitCode, stdout } = await run(
    ...['ingest', 'eq_market_holidays', file('holidays.csv', holidays), '--derive'],
  );
  expect([exitCode, stdout.trim().split('\n').length]).toEqual([0, 1]);
});

test('a load that is refused derives nothing', async () => {
  const bad = file('bad.csv', `${HEADER}\n2025-06-19,never,ABCD,7,TRADE,1,1,NYSE,1\n`);
  const { exitCode, stdout, stderr } = await run('ingest', 'my_trades', bad, '--derive');
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).not.toContain('my_bars');
});

test('files that a watch finds together are derived from once', async () => {
  const watched = join(files.path, 'watched');
  mkdirSync(join(watched, 'my_trades'), { recursive: true });
  for (const date of ['2025-06-10', '2025-06-11']) {
    writeFileSync(join(watched, 'my_trades', `${date}.csv`), tradesOf(date, 9));
  }
  const { exitCode, stderr } = await run('watch', watched, '--once', '--derive');
  expect(exitCode).toBe(0);
  expect(stderr.match(/derived from my_trades:/g)).toHaveLength(1);
  expect(stderr).toContain('US9014 my_bars: 2 rows from 2 parts, 3 parts up to date');
});

test('an open publication counts for nothing yet, so nothing is derived from it', async () => {
  const path = file('open.csv', tradesOf('2025-06-19', 10));
  const { exitCode, stderr } = await run('ingest', 'my_trades', path, '--into', '7', '--derive');
  expect(exitCode).toBe(2);
  expect(stderr).toBe(
    'ticklake: --into and --derive cannot be used together: derive when the publication is committed\n',
  );
});
