/** Which homes the demo makes, which it refuses, and what it tells. */
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fixedClock } from 'ticklake/base/clock.ts';
import { type CommandContext, commandLineOf } from 'ticklake/cli/command.ts';
import { serveBanner } from 'ticklake/cli/serve.ts';
import { openLake } from 'ticklake/open-home.ts';
import { openServices } from 'ticklake/open-services.ts';
import { readConfig } from 'ticklake/settings/config.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dumpOf } from '../../server/test/admin/admin-service.ts';
import {
  newFolder,
  runCommand,
  runWithSettings,
} from '../../server/test/command-line/run-command.ts';
import { type Home, makeHome, startServer } from '../../server/test/operation/server-process.ts';
import { demoBanner } from '../src/demo-command.ts';
import { claimDemoHome } from '../src/demo-home.ts';
import { prepareDemo } from '../src/prepare-demo.ts';
import { AS_OF, catalog, generateTables, TINY_SIZE } from './generated-market.ts';

/** Whatever else this machine runs. */
const ANY_PORT = { PORT: '0' };
const clock = fixedClock('2026-10-20T16:00:00Z');
const URL = 'http://127.0.0.1:8080';

const folder = newFolder();
const home = join(folder.path, 'demo');
afterAll(() => folder.remove());

class Output extends Writable {
  readonly isTTY: boolean;
  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }
}

interface Start {
  readonly isFirst: boolean;
  /** The output that a person reads at a terminal, and that a log gets. */
  readonly shown: string;
  readonly logged: string;
}

/** Does as `ticklake demo` with a smaller market, which is whole unless `isFinished` is false. */
async function start(home: string, lines: string[] = [], isFinished = true): Promise<Start> {
  const config = { ...readConfig({}), storeReserveBytes: 0, home };
  await claimDemoHome(config, clock);
  const services = await openServices(config, clock);
  try {
    const { isFirst, finish } = await prepareDemo(services, {
      report: (line) => lines.push(line),
      size: TINY_SIZE,
    });
    const banner = (isTTY: boolean) => {
      const commandLine = (words: string) => `ticklake ${words}`;
      const context = { stdout: new Output(isTTY), commandLine, isDefaultHome: true };
      return demoBanner(services, context as unknown as CommandContext, URL, isFirst);
    };
    if (isFinished) await finish?.();
    return { isFirst, shown: await banner(true), logged: await banner(false) };
  } finally {
    await services.close();
  }
}

async function ticklake(home: string, command: string) {
  const { exitCode, stdout, stderr } = await runCommand(home, ...command.split(' '), '--json');
  expect([exitCode, stderr], stdout).toEqual([0, '']);
  return JSON.parse(stdout);
}

/** Removes what begins with one of the names. */
function removeFrom(home: string, ...names: string[]): void {
  for (const file of readdirSync(home)) {
    if (names.some((name) => file.startsWith(name))) rmSync(join(home, file), { recursive: true });
  }
}

const secretOf = (file: string) => readFileSync(join(home, file), 'utf8').trim();

describe('a demo home', () => {
  const lines: string[] = [];
  let first: Start;
  let key: string;
  let password: string;
  beforeAll(async () => {
    first = await start(home, lines);
    key = secretOf('demo-key');
    password = secretOf('demo-password');
  });

  it('gets an account with a rule for each dataset, a key and an owner, as acts of the demo', async () => {
    expect(first.isFirst).toBe(true);
    expect(await ticklake(home, 'identity show 1')).toMatchObject({
      name: 'demo',
      is_admin: false,
    });
    const rules = await ticklake(home, 'rule list 1');
    const { datasets } = await ticklake(home, 'datasets');
    expect(rules).toHaveLength(datasets.length);
    expect(datasets.every((row: { row_count: number }) => row.row_count > 0)).toBe(true);
    const { data: people } = await ticklake(home, 'user list');
    expect(people).toMatchObject([{ email: 'owner@demo.localhost', role: 'owner' }]);
    const { data } = await ticklake(home, 'audit --limit 1000');
    expect(data).toHaveLength(rules.length + 3);
    for (const { actor, source } of data) {
      expect([actor, source]).toEqual(['local:demo', 'first start']);
    }
  });

  it('has every row of the generated market, under the vendor Synthetic', async () => {
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.every((line) => /^(Generating|Making|Deriving|The market) /.test(line))).toBe(
      true,
    );
    const lake = await openLake({ home }, clock);
    const tables = generateTables(1, AS_OF, TINY_SIZE);
    for (const { datasetId, textId } of catalog.datasets) {
      const snapshot = await lake.snapshot(datasetId);
      expect(snapshot?.rowCount, textId).toBe(tables.get(textId)?.rowCount);
      expect(snapshot?.vendor).toBe('Synthetic');
    }
    await lake.close();
  });

  it('keeps key and password in files for their owner alone, and in no other', () => {
    expect(key).toMatch(/^[\w-]{35}$/);
    expect(password).toMatch(/^[A-Za-z0-9]{20}$/);
    for (const file of readdirSync(home, { recursive: true, encoding: 'utf8' })) {
      const path = join(home, file);
      if (!statSync(path).isFile()) continue;
      if (file === 'demo-key' || file === 'demo-password') {
        expect(statSync(path).mode & 0o777, file).toBe(0o600);
        continue;
      }
      const bytes = readFileSync(path, 'latin1');
      expect([bytes.includes(key), bytes.includes(password)], file).toEqual([false, false]);
    }
  });

  it('shows secrets to a terminal, and tells a log where they are', () => {
    expect(first.shown).toContain(
      `  sign in    owner@demo.localhost   password ${password}   (also in`,
    );
    expect(first.shown).toContain(`  API key    ${key}   (also in ${join(home, 'demo-key')})\n`);
    expect(first.logged).not.toContain(key);
    expect(first.logged).not.toContain(password);
    expect(first.logged).toContain(`password in ${join(home, 'demo-password')}\n`);
    const query = `${URL}/v1/data/us-equity/eq-daily-ohlc?Ticker=AVQX&limit=3`;
    const curl = `curl -H "X-API-KEY: $(cat ${join(home, 'demo-key')})" '${query}'\n`;
    expect(first.logged).toContain(curl);
    expect(first.shown).toContain(curl);
  });

  it('tells how to go on with own data', () => {
    expect(first.logged).toContain(
      'Put your own data in a home of its own:\n' +
        '  ticklake init --email you@example.com --account NAME\n' +
        '  ticklake ingest <dataset> <file...>\n' +
        '  ticklake rule add --identity 1 --dataset <dataset>\n' +
        '  ticklake serve\n',
    );
  });

  it('names another home than its own where it does not lie in the default one', async () => {
    const commandLine = commandLineOf({}, home);
    const services = await openServices(readConfig({ TICKLAKE_HOME: home }), clock);
    const context = { stdout: new Output(false), commandLine, isDefaultHome: false };
    const banner = await demoBanner(services, context as unknown as CommandContext, URL, false);
    await services.close();
    expect(banner).toContain('  ticklake serve --home DIR\n');
    expect(banner).not.toContain('DIR --home');
  });

  it('is left as it is by a second start, which shows no secret even to a terminal', async () => {
    const before = dumpOf(home);
    const again = await start(home);
    expect([again.isFirst, again.shown]).toEqual([false, first.logged]);
    expect(dumpOf(home)).toBe(before);
  });

  it('stays as its people have changed it, also where they made accounts of their own', async () => {
    await ticklake(home, 'identity create --name another');
    await ticklake(home, 'rule remove 1');
    await ticklake(home, 'key deactivate 1');
    await ticklake(home, 'user update 1 --email me@home.example');
    const before = dumpOf(home);
    const again = await start(home);
    expect(dumpOf(home)).toBe(before);
    expect(again.shown).toContain('  API key    as you set it up\n');
    expect(again.shown).toContain('  sign in    as you set it up\n');
  });
});

describe('a demo that is stopped before its market is whole', () => {
  const unfinished = join(folder.path, 'unfinished');
  const rowCount = async () => {
    const { datasets } = await ticklake(unfinished, 'datasets');
    return datasets.find(({ text_id }: { text_id: string }) => text_id === 'eq_daily_ohlc')
      .row_count;
  };

  it('has an account, the printed query finds rows, and the next start makes the rest', async () => {
    const { isFirst, logged } = await start(unfinished, [], false);
    expect(isFirst).toBe(true);
    expect(logged).toContain("/us-equity/eq-daily-ohlc?Ticker=AVQX&limit=3'");
    const begun = await rowCount();
    expect(begun).toBeGreaterThan(0);
    const lines: string[] = [];
    expect((await start(unfinished, lines)).isFirst).toBe(false);
    expect(lines.at(-1)).toBe('The market is complete');
    expect(await rowCount()).toBeGreaterThan(begun);
    const again: string[] = [];
    await start(unfinished, again);
    expect(again).toEqual([]);
  });

  it('makes it again where it was stopped while the last rows were derived', async () => {
    writeFileSync(join(unfinished, 'demo-unfinished'), '');
    const lines: string[] = [];
    await start(unfinished, lines);
    expect(lines.at(-1)).toBe('The market is complete');
  });
});

describe('a demo that somebody loads rows into before its market is whole', () => {
  const joined = join(folder.path, 'joined');
  const csv = join(folder.path, 'own.csv');
  const datasets = async () => (await ticklake(joined, 'datasets')).datasets;

  it.each([
    ['of a vendor', ' --vendor Own'],
    ['that name no vendor', ''],
  ])('keeps rows %s', async (_, vendor) => {
    rmSync(joined, { recursive: true, force: true });
    await start(joined, [], false);
    writeFileSync(csv, 'TradeDate,Ticker,ClosePrice\n2025-06-18,OWN,2.5\n');
    const services = await openServices(
      { ...readConfig({}), storeReserveBytes: 0, home: joined },
      clock,
    );
    try {
      const { finish } = await prepareDemo(services, { report: () => {}, size: TINY_SIZE });
      await ticklake(joined, `ingest eq_daily_ohlc ${csv} --append${vendor}`);
      const loaded = await datasets();
      await expect(finish?.()).rejects.toThrow('eq_daily_ohlc has rows of your own');
      expect(await datasets()).toEqual(loaded);
    } finally {
      await services.close();
    }
  });
});

/** The place for a copy of `somebodys` in each test. */
const path = join(folder.path, 'own');
let somebodys: Home;
beforeAll(async () => {
  somebodys = await makeHome(1, 1);
});
afterAll(() => somebodys.remove());
const copyHome = () => cpSync(somebodys.path, path, { recursive: true });
const removeCopy = () => rmSync(path, { recursive: true });

describe('a home of somebody', () => {
  const without = (...names: string[]) => removeFrom(path, ...names);
  beforeEach(copyHome);
  afterEach(removeCopy);

  it.each([
    ['data and accounts', [], 'accounts'],
    ['accounts and no data', ['lake'], 'accounts'],
    ['data and no accounts', ['control.db'], 'data'],
  ])('with %s is refused by the demo in one line, and left alone', async (_, missing, held) => {
    without('demo-', ...missing);
    const before = readdirSync(path, { recursive: true }).sort();
    expect(await runWithSettings(path, ANY_PORT, 'demo')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        `ticklake: ${path} holds ${held} of your own, and the demo needs a home to itself; ` +
        'name another folder with --home, or use ticklake serve\n',
    });
    expect(readdirSync(path, { recursive: true }).sort()).toEqual(before);
  });

  it('gets no demo account where its data lies in what was a demo home', async () => {
    without('demo-', 'control.db');
    writeFileSync(join(path, 'demo-home.txt'), '');
    const { exitCode, stderr } = await runWithSettings(path, ANY_PORT, 'demo');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('holds data of your own')]);
    expect(existsSync(join(path, 'demo-key'))).toBe(false);
  });
});

/** The text that `ticklake serve` prints about a home once it listens. */
async function bannerOf(home: string): Promise<string> {
  const services = await openServices({ ...readConfig({}), storeReserveBytes: 0, home }, clock);
  try {
    const context = { clock, commandLine: (words: string) => `ticklake ${words}` };
    return await serveBanner(services, context as unknown as CommandContext, URL);
  } finally {
    await services.close();
  }
}

function gapsIn(banner: string): string {
  const [, told = ''] = /Not ready for use yet:\n((?: .*\n)*)/.exec(banner) ?? [];
  return told;
}

describe('a home that ticklake serve finds', () => {
  const without = (...names: string[]) => removeFrom(path, ...names);
  beforeEach(copyHome);
  afterEach(removeCopy);

  const NO_ACCOUNTS =
    '  There are no accounts, so nobody can sign in or read data. Run:\n' +
    '    ticklake init --email you@example.com --account NAME\n';
  const NO_ACCESS =
    '  There is no active owner and no active key, so nobody can sign in or read data. Run:\n' +
    '    ticklake user create --owner --email you@example.com\n';
  const NO_RULE =
    '  No account may read any dataset. Run:\n    ticklake rule add --identity ID --dataset NAME\n';
  const NO_DATA = '  There is no data. Run:\n    ticklake ingest <dataset> <file...>\n';

  const NO_FILE =
    '  Some data cannot be read: the file lake/eq_trading_halts/FILE is missing. ' +
    'Restore it from a backup, or load it again.\n';

  const command = (line: string) => ticklake(path, line);
  const removeLakeFiles = () => {
    without('demo');
    rmSync(join(path, 'lake'), { recursive: true });
  };

  it.each<[string, () => unknown, string]>([
    ['empty', () => without(''), NO_ACCOUNTS + NO_DATA],
    ['with data and without accounts', () => without('control', 'demo'), NO_ACCOUNTS],
    ['with accounts and without data', () => without('lake', 'demo'), NO_DATA],
    [
      'with an account that nobody can use',
      () => {
        without('');
        return command('identity create --name a');
      },
      NO_ACCESS + NO_DATA,
    ],
    [
      'with an owner alone',
      () => {
        without('');
        return command('user create --owner --email a@b.example');
      },
      NO_DATA,
    ],
    [
      'with data that no account may read',
      () => {
        without('control', 'demo');
        return command('user create --owner --email a@b.example');
      },
      NO_RULE,
    ],
    ['without the files of its lake', () => removeLakeFiles(), NO_FILE],
    ['that is complete', () => without('demo'), ''],
  ])('%s stays as it is: what is missing is told', async (_, change, missing) => {
    await change();
    const hadStore = existsSync(join(path, 'control.db'));
    const before = hadStore ? dumpOf(path) : '';
    const told = gapsIn(await bannerOf(path));
    expect(told.replace(/[\w-]+\.parquet/, 'FILE')).toBe(missing);
    if (hadStore) expect(dumpOf(path)).toBe(before);
    else {
      const lists = [await command('identity list'), await command('user list')];
      expect(lists.map(({ data }) => data)).toEqual([[], []]);
    }
    expect(readdirSync(path).filter((name) => name.startsWith('demo'))).toEqual([]);
    const { datasets } = await command('datasets');
    const rows = datasets.reduce(
      (sum: number, one: { row_count: number }) => sum + one.row_count,
      0,
    );
    expect(rows).toBe(missing.includes(NO_DATA) ? 0 : 1);
  });

  it('without control.db lets nobody in, by the server itself', async () => {
    const key = readFileSync(join(path, 'demo-key'), 'utf8').trim();
    without('control');
    const server = await startServer({ ...somebodys, path });
    try {
      for (const headers of [{}, { 'x-api-key': key }]) {
        const { status } = await fetch(`${server.url}/v1/meta/datasets`, { headers });
        expect(status).toBe(401);
      }
    } finally {
      server.child.kill('SIGTERM');
      expect(await server.ended).toBe(0);
    }
    expect(gapsIn(server.stdout())).toBe(NO_ACCOUNTS);
  });
});
