/** A security has one ticker, whichever vendor a file comes from: CMS's suffix behind a point. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import { newFolder, publishedRows, runByClock } from '../command-line/run-command.ts';
import { fieldsOf, recipeOf, sampleOf } from './shipped-samples.ts';

const folder = newFolder();
afterAll(() => folder.remove());
const CLOCK = fixedClock('2026-02-02T12:00:00Z');

const MASSIVE = {
  'BRK.B': 'BRK.B',
  'AACT.WS': 'AACT.WS',
  'BAC.WS.A': 'BAC.WSA',
  ABRpD: 'ABR.PRD',
  ABRpDw: 'ABR.PRDWI',
  'ABRpD.CL': 'ABR.PRDCL',
  Xp: 'X.PR',
  ACCOw: 'ACCO.WI',
  'LEN.Bw': 'LEN.BWI',
  DBr: 'DB.RT',
  DBrw: 'DB.RTWI',
};
const DATABENTO = {
  'BRK.B': 'BRK.B',
  'BF B': 'BF.B',
  'AACT+': 'AACT.WS',
  'ABR PRD': 'ABR.PRD',
  'BAC-L': 'BAC.PRL',
  'ACCO#': 'ACCO.WI',
  'AACT=': 'AACT.U',
  'BAC WSA': 'BAC.WSA',
};
const STOOQ = {
  'BRK-B.US': 'BRK.B',
  'BAC_L.US': 'BAC.PRL',
  'AACT-WS.US': 'AACT.WS',
  'AACT-U.US': 'AACT.U',
};
const YAHOO = { 'BAC-PL': 'BAC.PRL', 'OXY-WT': 'OXY.WS', 'AACT-UN': 'AACT.U', 'BF-B': 'BF.B' };
const ALPHA = { 'ABR-P-D': 'ABR.PRD', 'AACT-WS': 'AACT.WS', 'AACT-U': 'AACT.U', 'BF.B': 'BF.B' };

let count = 0;

function write(name: string, lines: readonly string[]): string {
  const path = join(folder.path, `${count++}`, name);
  mkdirSync(join(path, '..'));
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

/** Loads files, and returns the tickers of their rows and what was said. */
async function load(recipe: string, ...paths: readonly string[]) {
  const home = join(folder.path, `home-${count++}`);
  const ended = await runByClock(CLOCK, home, 'ingest', '--as', recipe, ...paths);
  const { datasetId } = recipeOf(recipe).dataset;
  const rows = ended.exitCode === 0 ? await publishedRows(home, datasetId, ['Ticker']) : [];
  return { tickers: [...new Set(rows.flat())].sort(), said: ended.stdout + ended.stderr };
}

it.each([
  ['massive-stocks-trades', 'ticker', MASSIVE, 'ABR-D'],
  ['massive-stocks-quotes', 'ticker', MASSIVE, 'ABRq'],
  ['massive-stocks-minute', 'ticker', MASSIVE, 'ABRpDx'],
  ['massive-stocks-day', 'ticker', MASSIVE, 'O:SPY'],
  ['databento-equities-trades', 'symbol', DATABENTO, 'BAC_L'],
  ['databento-equities-minute', 'symbol', DATABENTO, 'ABRpD'],
  ['stooq-daily', '<TICKER>', STOOQ, 'DB-R.US'],
])('%s gives symbols the suffixes of CMS, and refuses others', async (...given) => {
  const [recipe, field, symbols, other] = given;
  const { name, lines } = sampleOf(recipe);
  const [header = '', line = ''] = lines;
  const at = header.split(',').indexOf(field);
  const records = (of: string[]) =>
    of.map((symbol) => fieldsOf(recipe, line).with(at, symbol).join());
  const path = write(name, [header, ...records(Object.keys(symbols))]);
  expect((await load(recipe, path)).tickers).toEqual(Object.values(symbols).sort());
  const { said } = await load(recipe, write(name, [header, ...records([other])]));
  expect(said).toContain(`Ticker "${other}" is not `);
});

it.each([
  ['yahoo-daily', YAHOO, 'DB-RI'],
  ['yahoo-daily-close', YAHOO, 'BAC-P'],
  ['alpha-vantage-daily', ALPHA, 'BAC-P'],
  ['alpha-vantage-daily-adjusted', ALPHA, 'BAC-PL'],
])('%s gives the symbols of files the suffixes of CMS, and refuses others', async (...given) => {
  const [recipe, symbols, other] = given;
  const { name, lines } = sampleOf(recipe);
  const pathOf = (symbol: string) => write(name.replace(/[A-Z][-A-Z]*(?=\.csv)/, symbol), lines);
  const { tickers } = await load(recipe, ...Object.keys(symbols).map(pathOf));
  expect(tickers).toEqual(Object.values(symbols).sort());
  expect((await load(recipe, pathOf(other))).said).toContain(`Ticker "${other}`);
});
