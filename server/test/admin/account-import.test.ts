/** `ticklake account import`: what a file makes, and that it makes all or nothing. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keysText } from '../../src/cli/account-import.ts';
import { newFolder, runCommand, runPiped } from '../command-line/run-command.ts';

let folder: ReturnType<typeof newFolder>;
beforeEach(async () => {
  folder = newFolder();
  await runCommand(folder.path, 'identity', 'create', '--name', 'There before');
});
afterEach(() => folder.remove());

function file(text: string): string {
  const path = join(folder.path, 'accounts.txt');
  writeFileSync(path, text);
  return path;
}

async function accountNames(...words: string[]): Promise<string[]> {
  const { stdout } = await runPiped(folder.path, 'account', 'list', ...words, '--json');
  return (JSON.parse(stdout) as { data: { name: string }[] }).data.map(({ name }) => name);
}

const CSV = `name,max_active_api_keys,ip_subnets,key.name,key.expires_in,rule.groups,rule.start_date
"Alpha, Ltd",3,"10.0.0.0/8,192.0.2.0/24",first,90d,us-futures,2025-01-01
"Alpha, Ltd",,,second,30d,,
Beta,,,,,us-equity,
`;

it('tries a file, then makes its accounts, keys and rules, and writes the keys to a file', async () => {
  const path = file(CSV);
  const tried = await runPiped(folder.path, 'account', 'import', path);
  expect([tried.exitCode, tried.stderr]).toEqual([0, '']);
  expect(tried.stdout).toMatch(/^Would make 2 accounts, 2 keys and \d+ rules; nothing is wrong\./);
  expect(await accountNames()).toEqual(['There before']);

  const secrets = join(folder.path, 'keys.csv');
  const words = ['account', 'import', path, '--apply'];
  expect((await runPiped(folder.path, ...words)).stderr).toContain('--secret-file');
  const made = await runPiped(folder.path, ...words, '--secret-file', secrets);
  expect([made.exitCode, made.stderr]).toEqual([0, '']);
  expect(made.stdout).toMatch(/^Made 2 accounts, 2 keys and \d+ rules\.\n$/);
  expect(await accountNames()).toEqual(['There before', 'Alpha, Ltd', 'Beta']);
  expect(await accountNames('--name', 'LTD')).toEqual(['Alpha, Ltd']);
  const [titles, ...keys] = readFileSync(secrets, 'utf8').replace(/\n$/, '').split('\r\n');
  expect(titles).toBe('account,identity_id,key_id,api_key');
  expect(keys).toHaveLength(2);
  for (const key of keys) expect(key).toMatch(/^"Alpha, Ltd",2,\d+,\S{20,}$/);
  const { stdout } = await runPiped(folder.path, 'account', 'show', '2', '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    max_active_api_keys: 3,
    ip_subnets: ['10.0.0.0/8', '192.0.2.0/24'],
  });
});

it('writes a key as it is, and no formula beside it', () => {
  const keys = [{ account: '=1+1', identity_id: 2, key_id: 3, api_key: '-a_b' }];
  expect(keysText(keys)).toBe("account,identity_id,key_id,api_key\r\n'=1+1,2,3,-a_b");
});

it.each([
  [
    'name,key.name\nAcme, Inc,first\n',
    'line 2 has 3 cells for 2 titles; a cell with a comma needs',
  ],
  ['[{"name":"A"},null]', "entry 2 must be an object, its 'keys' and 'rules' lists of objects"],
  ['[{"name":"A","keys":{"name":"k"}}]', 'entry 1 must be an object'],
])('refuses %j in one line', async (text, told) => {
  const { exitCode, stderr } = await runPiped(folder.path, 'account', 'import', file(text));
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`accounts.txt: ${told}`)]);
});

it('takes the same as JSON, of accounts that are there, too', async () => {
  const columns = ['TradeDate', 'EventDateTime', 'Ticker', 'ASID', 'Price'];
  const rules = [{ dataset_ids: ['eq_taq'], universe_identifiers: ['AAA'], columns }];
  const path = file(
    JSON.stringify([
      { name: 'There before', rules },
      { name: 'Gamma', rules },
    ]),
  );
  const { exitCode, stdout } = await runPiped(folder.path, 'account', 'import', path, '--apply');
  expect([exitCode, stdout]).toEqual([0, 'Made 1 account, 0 keys and 2 rules.\n']);
});

it('names what is wrong of every entry, and makes nothing', async () => {
  const path = file(`name,key.name,key.expires_in,rule.dataset_ids,colour
Delta,k,soon,,
There before,,,,
,,,,
Epsilon,,,no_such,
Zeta,,,,red
`);
  const { exitCode, stderr } = await runPiped(
    folder.path,
    'account',
    'import',
    path,
    '--apply',
    '--secret-file',
    join(folder.path, 'k'),
  );
  expect(exitCode).toBe(2);
  const lines = stderr.trim().split('\n');
  expect(lines.map((line) => line.replace('ticklake: ', '').slice(0, 45))).toEqual([
    expect.stringMatching(/^entry 1: 'key.expires_in' should be/),
    expect.stringMatching(/^entry 3: 'name' is missing/),
    expect.stringMatching(/^entry 4: 'rule.dataset_ids' names an unknown/),
    expect.stringMatching(/^entry 5: 'colour' is unknown/),
  ]);
  expect(await accountNames()).toEqual(['There before']);
});
