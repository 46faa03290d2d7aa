/** Each exit code of docs/command-line.md, by a command that ends with it. */
import { afterAll, expect, it } from 'vitest';
import { docsTable } from '../docs-table.ts';
import { newFolder, runCommand, runUntil, runWithSettings, runWithStdin } from './run-command.ts';

const folder = newFolder();
afterAll(() => folder.remove());

const home = `${folder.path}/home`;
const HEADER = 'TradeDate,Ticker,ASID,ClosePrice\n';
const AWAY = { TICKLAKE_STORE: 'postgres://nobody@127.0.0.1:9/ticklake' };

function interrupted() {
  const interruption = new AbortController();
  const endless = function* () {
    yield HEADER;
    interruption.abort();
    while (true) yield '2025-06-18,ABCD,7,10\n'.repeat(1000);
  };
  return runUntil(interruption.signal, home, endless(), 'ingest', 'eq_daily_ohlc', '-');
}

const ENDINGS: Record<string, () => Promise<{ exitCode: number; stderr: string }>> = {
  0: () => runCommand(home, 'identity', 'create', '--name', 'Ours'),
  1: () => runWithSettings(home, AWAY, 'identity', 'list'),
  2: () => runCommand(home, 'ingest', 'no_dataset', 'rows.csv'),
  3: () => runWithStdin(home, [HEADER], 'ingest', 'eq_daily_ohlc', '-'),
  130: interrupted,
};

it('the page lists the codes with which commands end', async () => {
  const listed = docsTable('command-line.md', 'Exit code', 'Meaning').map(([code]) => code);
  expect(listed).toEqual(Object.keys(ENDINGS));
});

it.each(Object.entries(ENDINGS))('a command ends with %s', async (code, end) => {
  const { exitCode, stderr } = await end();
  expect([`${exitCode}`, stderr]).toEqual([code, stderr]);
});
