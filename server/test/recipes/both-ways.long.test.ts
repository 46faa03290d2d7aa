/** Plain records take a faster way through a recipe, with the same rows as the exact one. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { HEADER_AS_IT_IS } from '../../src/catalog/header-columns.ts';
import { duckDBStorage } from '../../src/engine/duckdb/storage.ts';
import { type CsvSource, loadSources } from '../../src/ingest/load-sources.ts';
import { tryLockFile } from '../../src/installed.ts';
import { openCatalog } from '../../src/open-services.ts';
import { loadRecipes } from '../../src/recipes/load-recipes.ts';
import type { Recipe } from '../../src/recipes/recipe.ts';
import { RecipeOpener } from '../../src/recipes/recipe-opener.ts';
import { newFolder } from '../command-line/run-command.ts';
import { type Way, watched } from '../ingest/all-ways.ts';
import { textSource } from '../ingest/load-text.ts';
import { drawsOf, expectCameAcross } from '../seed.ts';

const folder = newFolder();
afterAll(() => folder.remove());
const { recipes } = loadRecipes(folder.path, openCatalog(folder.path, null));
const { signal } = new AbortController();

interface Field {
  readonly usual: readonly string[];
  readonly odd: readonly string[];
}

const NUMBERS = { usual: ['143.01', '7', '.5'], odd: ['', '1e3', 'x', '-', '123456789.123456789'] };
const SIZES = { usual: ['5', '100', '9'], odd: ['', '100.0', '1.5', '-3', '+7', '1e2', '007'] };

/** Fields of each recipe by their names, in the order of its files. */
const FILES: Readonly<Record<string, Readonly<Record<string, Field>>>> = {
  'massive-stocks-trades': {
    ticker: { usual: ['A', 'BRK.B'], odd: ['O:SPY', '', '"A"', 'é', '.'] },
    conditions: {
      usual: ['', '12', '"12,37"', '41', '29', '"7,12"'],
      odd: ['99', '"12,"', 'x', '"12, 37"', '""'],
    },
    correction: { usual: ['0', '', '10'], odd: ['12', '99'] },
    exchange: { usual: ['4', '10'], odd: ['', '99', '04'] },
    price: NUMBERS,
    sip_timestamp: {
      usual: ['1710144000000000000', '1710165661000000001'],
      odd: [
        ...['', '-5', '1e18', '1710144000.5', ' 1710144000000000000', '1710316800000000000'],
        ...['9223372036854775807', '9223372036854775808', '01710144000000000000'],
      ],
    },
    size: SIZES,
  },
  'massive-stocks-minute': {
    ticker: { usual: ['A', 'BRK.B'], odd: ['O:SPY', ''] },
    volume: SIZES,
    open: NUMBERS,
    close: NUMBERS,
    high: NUMBERS,
    low: NUMBERS,
    window_start: {
      usual: ['1710163800000000000', '1710163860000000000'],
      odd: ['1710129600000000000', '1710163800000000001', '1710316800000000000', 'x', ''],
    },
    transactions: SIZES,
  },
  'nyse-taq-trades': {
    Time: {
      usual: ['040000000000000', '093000123456789'],
      odd: [
        ...['240000000000000', '046000000000000', '040060000000000', '04000000000000', ''],
        ...['0400000000000000', '04:00:00.000000', '-40000000000000', '235959999999999'],
      ],
    },
    Exchange: { usual: ['P', 'Q'], odd: ['', '?', 'p'] },
    Symbol: { usual: ['A', 'BRK A'], odd: ['', 'é', ' A'] },
    'Sale Condition': { usual: ['@  I', ' O  ', '', '@FTI', ' B  '], odd: ['ZZZZ', '?', 'é'] },
    'Trade Volume': SIZES,
    'Trade Price': NUMBERS,
    'Trade Correction Indicator': { usual: ['00', '08'], odd: ['12', '99', ''] },
    'Source of Trade': { usual: ['C', 'N'], odd: ['', 'X'] },
  },
};
const NAMES: Readonly<Record<string, string>> = { 'nyse-taq-trades': 'EQY_US_ALL_TRADE_20240311' };

async function load(name: string, texts: readonly string[], way: Way) {
  const recipe = recipes.get(name) as Recipe;
  const { dataset } = recipe;
  const directory = mkdtempSync(join(folder.path, 'stage-'));
  const storage = duckDBStorage({ directory, tryLock: tryLockFile });
  const { writer, counts } = watched(await storage.openWriter(dataset), way);
  const reports = [];
  for (const text of texts) {
    const opener = new RecipeOpener(recipe, dataset.fileTimeZone);
    const displayName = NAMES[name] ?? '2024-03-11.csv';
    const source = { ...textSource(text), displayName } as CsvSource;
    const rules = { header: HEADER_AS_IT_IS, opener, allowsUnended: true };
    const { report, places } = await loadSources(writer, dataset, [source], signal, rules);
    const lines = Array.from({ length: report.rowCount }, (_, row) => places.placeOf(row)?.line);
    reports.push({ ...report, lines });
  }
  const digests: string[] = [];
  for (const key of await writer.partitionKeys()) {
    digests.push((await writer.write(key, `${key}.parquet`, null)).contentDigest);
  }
  await writer.close();
  await storage.close?.();
  return { reports, counts, digests };
}

/** More records than the usual texts are looked for in. */
const MANY_RECORDS = 10_500;

it.each(Object.keys(FILES))('%s: plain records become the rows of the exact way', async (name) => {
  const draws = drawsOf(`both ways of ${name}`);
  const fields = Object.values(FILES[name] ?? {});
  const recipe = recipes.get(name) as Recipe;
  const separator = recipe.separator === 'pipe' ? '|' : ',';
  const unread = recipe.unread_fields ?? [];
  const header = [...Object.keys(FILES[name] ?? {}), ...unread].join(separator);
  const pick = (from: readonly string[]) => from[draws.integer(0, from.length - 1)] as string;
  const record = (oddPlace: number) => {
    const own = fields.map(({ usual, odd }, f) => pick(f === oddPlace ? odd : usual));
    return [...own, ...unread.map(() => '')].join(separator);
  };
  const textOf = (records: readonly string[]) => {
    const trailer = recipe.trailer ? [`END|20240311|${records.length}|`] : [];
    return `${[header, ...records, ...trailer].join('\n')}\n`;
  };
  const few = Array.from({ length: 20 }, () =>
    textOf(Array.from({ length: 3 }, (_, r) => record(r === 1 ? draws.integer(0, 20) : -1))),
  );
  const many = Array.from({ length: MANY_RECORDS }, () => record(-1));
  const texts = [...few, textOf(many), textOf([...many, record(1)])];
  const fast = await load(name, texts, 'fast');
  const exact = await load(name, texts, 'strict');
  expect(fast.reports).toEqual(exact.reports);
  expect(fast.digests).toEqual(exact.digests);
  const bad = exact.reports.filter(({ badRowCount }) => badRowCount > 0).length;
  expectCameAcross({ taken: fast.counts.taken, refused: fast.counts.refused, bad });
});
