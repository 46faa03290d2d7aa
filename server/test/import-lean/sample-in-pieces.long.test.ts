/** The LEAN sample's companies, imported in pieces and by processes that are killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importLeanFolder } from '../../src/ingest/lean/import-folder.ts';
import { openHomeIndex } from '../../src/open-home.ts';
import type { Security } from '../../src/store/securities.ts';
import { anyMoment } from '../any-moment.ts';
import { openTestService, type TestService } from '../harness.ts';
import { readRows } from '../oracle/read-rows.ts';
import { partFiles } from '../part-files.ts';
import { PROGRAM } from '../program.ts';
import { repetitions, sampledRuns, sampleOf } from '../repetitions.ts';
import { drawsOf } from '../seed.ts';
import { companies } from './expected-lines.ts';
import { isSampleMissing, SAMPLE } from './sample-home.ts';

const PIECES = ['map_files', 'factor_files', 'daily', 'minute'] as const;
/** All companies but one are in these, and most rows are not. */
const LIGHT = PIECES.filter((piece) => piece !== 'minute');
const ORDERS = [
  ['map_files', 'daily', 'factor_files', 'minute'],
  ['daily', 'minute', 'factor_files', 'map_files', 'daily'],
  ['factor_files', 'minute', 'map_files', 'factor_files', 'daily'],
] as const;
const KILLS = repetitions('TICKLAKE_IMPORT_KILLS', sampledRuns(4));
/** Some moments lie before the numbers are given, some while rows are written. */
const IMPORT_MS = 3000;

describe.skipIf(isSampleMissing)('the LEAN sample', () => {
  let folder: string;

  /** A folder of these pieces of the sample. */
  function folderOf(name: string, pieces: readonly string[]): string {
    const made = path.join(folder, name);
    for (const piece of pieces) {
      const place = path.join('equity/usa', piece);
      cpSync(path.join(SAMPLE, place), path.join(made, place), { recursive: true });
    }
    return made;
  }

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'ticklake-pieces-'));
    for (const piece of PIECES) folderOf(piece, [piece]);
    folderOf('whole', PIECES);
    folderOf('light', LIGHT);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function importInto({ services: { catalog, lake } }: TestService, name: string) {
    return importLeanFolder({
      ...{ directory: path.join(folder, name), catalog, lake, mode: 'replace', vendor: 'LEAN' },
      ...{ maxBadRows: 0, dropSuspicious: false, signal: new AbortController().signal },
      onStep: () => {},
    });
  }

  async function rowsOf(service: TestService, textId: string) {
    const dataset = service.dataset(textId);
    return readRows(dataset, await partFiles(service.services.lake, dataset.datasetId));
  }

  test.each(sampleOf(ORDERS).map((order) => [order.join(', '), order] as const))(
    'in the order %s gives each company one number, which it keeps',
    async (_, order) => {
      const service = await openTestService();
      const { securities } = service.services.lake;
      const given = new Map<string, number>();
      for (const piece of [...order, 'whole']) {
        expect(await importInto(service, piece)).toMatchObject({ isPublished: true });
        for (const { firstTicker, firstDate, securityId } of await securities.all()) {
          if (firstDate === null) continue;
          const key = `${firstTicker} ${firstDate}`;
          expect(securityId, key).toBe(given.get(key) ?? securityId);
          given.set(key, securityId);
        }
      }
      const companyOn = companies(SAMPLE);
      const numbers = new Map<string, unknown>();
      for (const textId of ['eq_daily_ohlc', 'eq_trades_1min_ind_std', 'eq_adj_factors_basic']) {
        for (const { Ticker, TradeDate, EffectiveDate, ASID } of await rowsOf(service, textId)) {
          const company = companyOn(`${Ticker}`, `${TradeDate ?? EffectiveDate}`);
          // Factors of days on which a company had no ticker, or another one than in its map file.
          if (EffectiveDate && !numbers.has(company)) continue;
          if (!numbers.has(company)) numbers.set(company, ASID);
          if (numbers.get(company) !== ASID) expect(ASID, company).toBe(numbers.get(company));
        }
      }
      expect(new Set(numbers.values()).size).toBe(numbers.size);
      expect([...numbers.values()]).not.toContain(null);
      expect(numbers.size).toBeGreaterThan(20);
      await service.close();
    },
  );

  async function securitiesIn(home: string): Promise<readonly Security[]> {
    const index = openHomeIndex(home);
    try {
      return await index.securities.all();
    } finally {
      await index.close();
    }
  }

  /** Imports the folder in a process, killed once `wait` is over. Resolves to its exit code. */
  async function runImport(home: string, name: string, wait?: () => Promise<void>) {
    mkdirSync(home, { recursive: true });
    const words = [PROGRAM, 'import', 'lean', path.join(folder, name), '--home', home];
    const child = spawn(process.execPath, words, { stdio: 'ignore' });
    const ended = once(child, 'exit');
    if (wait) {
      await Promise.race([ended, wait()]);
      child.kill('SIGKILL');
    }
    return (await ended)[0] as number | null;
  }

  test('by processes that are killed gives the numbers that one import gives', async () => {
    const home = path.join(folder, 'killed');
    const draws = drawsOf('killed imports');
    let given: readonly Security[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      await runImport(home, 'light', () => anyMoment(draws, IMPORT_MS));
      const now = existsSync(path.join(home, 'lake.db')) ? await securitiesIn(home) : [];
      expect(now).toEqual(given.length > 0 ? given : now);
      given = now;
    }
    expect(await runImport(home, 'light')).toBe(0);
    const undisturbed = path.join(folder, 'undisturbed');
    expect(await runImport(undisturbed, 'light')).toBe(0);
    expect(await securitiesIn(home)).toEqual(await securitiesIn(undisturbed));
    expect(await securitiesIn(home)).toHaveLength(32);
  });

  test('by several processes at the same time gives each company one number', async () => {
    const home = path.join(folder, 'together');
    const folders = ['light', 'light', 'map_files', 'factor_files'];
    expect(await runImport(home, 'map_files')).toBe(0);
    const codes = await Promise.all(folders.map((name) => runImport(home, name)));
    expect(codes).toEqual([0, 0, 0, 0]);
    expect(await securitiesIn(home)).toEqual(await securitiesIn(path.join(folder, 'undisturbed')));
  });
});
