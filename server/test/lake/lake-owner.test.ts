/** Two stores over one folder of parts: one has them, the other one only reads them. */
import { cpSync, existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import { openLake } from '../../src/open-home.ts';
import { newFolder, runCommand } from '../command-line/run-command.ts';
import { drill } from './restored-copy.ts';

const cleanups: (() => unknown)[] = [];
afterEach(() => {
  for (const clean of cleanups.splice(0)) clean();
});

function newHome(): string {
  const folder = newFolder();
  cleanups.push(folder.remove);
  mkdirSync(join(folder.path, 'home'));
  return join(folder.path, 'home');
}

/** A copy of all but the parts, which both have. */
function copyBeside(home: string): string {
  const copy = `${home}-restored`;
  cpSync(home, copy, { recursive: true, filter: (source) => basename(source) !== 'lake' });
  symlinkSync(join(home, 'lake'), join(copy, 'lake'));
  return copy;
}

const problemOf = async (home: string) => {
  const lake = await openLake({ home }, fixedClock('2026-11-20T21:00:00Z'));
  await lake.close();
  return lake.owner.problem;
};

it('a home that is copied during a load, over the same folder, leaves every byte of production', async () => {
  const home = newHome();
  await drill({
    ...{ production: { home }, partsFolder: join(home, 'lake') },
    copy: async () => ({ home: copyBeside(home) }),
  });
});

it('a home that is copied with its parts, or moved, has them by itself', async () => {
  const home = newHome();
  expect(await problemOf(home)).toBeNull();
  cpSync(home, `${home}-copy`, { recursive: true });
  expect(await problemOf(`${home}-copy`)).toBeNull();
  renameSync(home, `${home}-moved`);
  expect([await problemOf(`${home}-moved`), await problemOf(`${home}-copy`)]).toEqual([null, null]);
});

it('a home of its own over the folder of another one only reads it', async () => {
  const [home, other] = [newHome(), newHome()];
  expect(await problemOf(home)).toBeNull();
  symlinkSync(join(home, 'lake'), join(other, 'lake'));
  expect(await problemOf(other)).toContain('the parts belong to another store');
});

it('a command claims the parts, and another one lists what it would remove', async () => {
  const home = newHome();
  const made = await runCommand(home, 'identity', 'create', '--name', 'Ours');
  expect(made.exitCode, made.stderr).toBe(0);
  expect(await problemOf(home)).toBeNull();
  const copy = copyBeside(home);
  const refused = await runCommand(copy, 'lake', 'sweep');
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringMatching(
      /^ticklake: nothing was changed: the parts belong to another store .*claim\n$/,
    ),
  ]);
  const listed = await runCommand(copy, 'lake', 'sweep', '--dry-run');
  expect(listed).toMatchObject({ exitCode: 0, stdout: 'Would remove 0 parts.\n' });
  // Files arriving in a folder that both watch are left to the store that may load them.
  const arrived = join(home, 'in', 'eq_trading_halts', 'halts.csv');
  mkdirSync(join(home, 'in', 'eq_trading_halts'), { recursive: true });
  writeFileSync(arrived, 'TradeDate,Ticker,HaltDateTime\n2025-06-19,A,2025-06-19T10:00:00\n');
  const watched = await runCommand(copy, 'watch', join(home, 'in'), '--once');
  expect(watched.stderr).toContain('the parts belong to another store');
  expect(existsSync(arrived)).toBe(true);
  const claimed = await runCommand(copy, 'lake', 'claim');
  expect(claimed).toMatchObject({ exitCode: 0 });
  expect(claimed.stdout).toContain('epoch 2; the store of epoch 1 only reads them');
  expect((await runCommand(copy, 'lake', 'claim')).stdout).toContain('already');
  expect(await problemOf(home)).toContain('epoch 2');
  expect((await runCommand(copy, 'audit')).stdout).toContain('claimLake');
  const away = await runCommand(`${home}-not`, 'lake', 'claim');
  expect([away.exitCode, existsSync(`${home}-not`)]).toEqual([2, false]);
});
