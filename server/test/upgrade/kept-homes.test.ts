/**
 * Homes that releases left behind, each with what that release answered; `make-home.sh` makes them.
 * Every later one has to open them.
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONTROL_STORE_FILE, LAKE_INDEX_FILE } from '../../src/base/home-layout.ts';
import { INSTALLED_ENGINE } from '../../src/installed.ts';
import { runCommand } from '../command-line/run-command.ts';
import { openTestService } from '../harness.ts';

const ARCHIVES = globSync(join(import.meta.dirname, 'home-*.tar.gz'));
const OTHER_TICKS = `TradeDate,Ticker,ASID,EventDateTime,EventType,Price,Quantity,Exchange,ConditionCode
2025-06-18,ABCD,1001,2025-06-18T09:30:01-04:00,TRADE,7,900,NASDAQ,65
`;

describe.each(ARCHIVES.map((path) => [basename(path), path]))('%s', (_, archive) => {
  let folder: string;
  let home: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ticklake-kept-'));
    home = join(folder, 'home');
    execFileSync('tar', ['-xzf', archive, '-C', folder]);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Asks all that its release was asked, with the key of then. */
  async function expectSameAnswers(): Promise<void> {
    const service = await openTestService({}, INSTALLED_ENGINE, home);
    service.clock.set('2026-11-28T17:00:00Z');
    const key = readFileSync(join(home, 'kept-key'), 'utf8').trim();
    for (const name of readdirSync(join(folder, 'answers'))) {
      const url = `/v1/data/${name.replaceAll('!', '/').replace('~', '?')}`;
      const { body } = await service.get(url, { 'x-api-key': key });
      expect([url, body]).toEqual([url, readFileSync(join(folder, 'answers', name), 'utf8')]);
    }
    await service.close();
  }

  it('is opened, and every version in it reads as it did', expectSameAnswers);

  it('takes another day, which changes nothing of what it had, and derives from both', async () => {
    const file = join(folder, 'other.csv');
    writeFileSync(file, OTHER_TICKS);
    const done = async (...words: string[]) => {
      const { exitCode, stdout, stderr } = await runCommand(home, ...words);
      expect([exitCode, stderr]).toEqual([0, '']);
      return stdout;
    };
    expect(await done('ingest', 'eq_taq', file)).toMatch(/^US1032 eq_taq: version 5, 1 row/);
    expect(await done('derive', '--stale', 'eq_trades')).toMatch(/^US1001 eq_trades: 1 row from 1/);
    expect(await done('derive', '--check', 'eq_daily_ohlc_adj')).toContain('all equal');
    expect(await done('lake', 'verify')).toMatch(/^\d+ parts /);
    await expectSameAnswers();
  });

  it.each([CONTROL_STORE_FILE, LAKE_INDEX_FILE])(
    'is refused in one line if a newer release wrote its %s',
    async (name) => {
      const database = new DatabaseSync(join(home, name));
      database.exec('PRAGMA user_version = 1000');
      database.close();
      const { exitCode, stderr } = await runCommand(home, 'datasets');
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/^ticklake: .* was written by a newer release \(schema 1000, .*\)\n$/);
    },
  );
});
