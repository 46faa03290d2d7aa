/** How a home for own data is made, and where passwords and keys go. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Passwords } from '../../src/access/passwords.ts';
import { openControlStore } from '../../src/open-home.ts';
import { newFolder, runCommand, runPiped, runTyping } from './run-command.ts';
import { hasTerminal, runAtTerminal } from './terminal.ts';

const PASSWORD = 'correct horse seven battery';
const NAMES = ['--email', 'Me@Home.example', '--account', 'Own data'];
const PROMPT = 'press Enter to generate one): ';
const REPEAT = 'Repeat the password: ';

let folder: ReturnType<typeof newFolder>;
let home: string;
let passwordFile: string;
beforeEach(async () => {
  folder = newFolder();
  home = join(folder.path, 'home');
  passwordFile = join(folder.path, 'password');
  writeFileSync(passwordFile, `${PASSWORD}\n`);
});
afterEach(async () => folder.remove());

const init = (...words: string[]) => runPiped(home, 'init', ...words);

/** True if the password is the first person's. */
async function opens(password: string): Promise<boolean> {
  const store = await openControlStore({ home: home });
  try {
    const hash = await store.people.passwordHash(1);
    return hash !== null && (await new Passwords().isRight(password, hash));
  } finally {
    await store.close();
  }
}

async function listed(...words: string[]) {
  return JSON.parse((await runPiped(home, ...words, '--json')).stdout);
}

describe('ticklake init', () => {
  it('makes an owner and an account, and nothing else', async () => {
    const { exitCode, stdout, stderr } = await init(...NAMES, '--password-file', passwordFile);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      `Created the account Own data (id 1) and its owner me@home.example in ${home}.\n` +
        'Next, load data, let the account read it, make a key for it, and serve it:\n' +
        '  ticklake ingest <dataset> <file...>\n' +
        '  ticklake rule add --identity 1 --dataset <dataset>\n' +
        '  ticklake key create --identity 1 --name first --expires-in 90d\n' +
        '  ticklake serve\n',
    );
    expect(await opens(PASSWORD)).toBe(true);
    expect((await listed('identity', 'list')).data).toMatchObject([
      { identity_id: 1, name: 'Own data', is_admin: false },
    ]);
    expect((await listed('user', 'list')).data).toMatchObject([
      { email: 'me@home.example', role: 'owner', identity_id: 1, is_password_initial: false },
    ]);
    expect(await listed('key', 'list', '1')).toEqual([]);
    expect(await listed('rule', 'list', '1')).toEqual([]);
    const { data } = await listed('audit');
    expect(data.map((row: { operation: string }) => row.operation)).toEqual([
      'createIdentity',
      'createPerson',
    ]);
    expect(readdirSync(home).filter((name) => !name.startsWith('control.db'))).toEqual([]);
    for (const name of readdirSync(home)) {
      expect(readFileSync(join(home, name), 'latin1')).not.toContain(PASSWORD);
    }
  });

  it('answers with --json', async () => {
    const { stdout } = await init(...NAMES, '--password-file', passwordFile, '--json');
    const names = { email: 'me@home.example', account: 'Own data' };
    expect(JSON.parse(stdout)).toEqual({ home, ...names, identity_id: 1, person_id: 1 });
  });

  it.each([
    ['a home with accounts', ['identity', 'create', '--name', 'a']],
    ['a home with people', ['user', 'create', '--owner', '--email', 'a@b.example']],
  ])('refuses %s', async (_, words) => {
    expect((await runCommand(home, ...words)).exitCode).toBe(0);
    const refused = await init(...NAMES, '--password-file', passwordFile);
    const text =
      'already has accounts; add more with ticklake identity create and ticklake user create';
    expect(refused).toEqual({ exitCode: 2, stdout: '', stderr: `ticklake: ${home} ${text}\n` });
  });

  it('refuses the home of the demo', async () => {
    mkdirSync(home);
    writeFileSync(join(home, 'demo-home.txt'), '');
    const { exitCode, stderr } = await init(...NAMES, '--password-file', passwordFile);
    const text = `${home} is the home of the demo; name another folder with --home`;
    expect([exitCode, stderr]).toEqual([2, `ticklake: ${text}\n`]);
  });

  it.each([
    [[], /^ticklake: --email is missing; --account is missing\n$/],
    [
      ['--email', 'nobody', '--account', 'a'],
      /^ticklake: --email should be an e-mail address .*\n$/,
    ],
    [
      NAMES,
      /^ticklake: there is no terminal to ask for the password on; .*--password-file FILE.*\n$/,
    ],
    [
      [...NAMES, '--password-file', '/none'],
      /^ticklake: --password-file: \/none does not exist; check the path\n$/,
    ],
    [[...NAMES, '--password-file', '-'], /^ticklake: --password-file holds no password\n$/],
    [[...NAMES, 'PASSWORD'], /^ticklake: ticklake init takes no arguments.*\n$/],
  ])('refuses %j in one line, and makes no home', async (words, text) => {
    const { exitCode, stdout, stderr } = await init(...words);
    expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringMatching(text)]);
    expect(existsSync(home)).toBe(false);
  });

  it.each(['short', 'two lines\nof a password'])('refuses the password %j', async (password) => {
    writeFileSync(passwordFile, password);
    const { exitCode, stderr } = await init(...NAMES, '--password-file', passwordFile);
    const text = 'the password must be a string of 12 to 1024 characters, on one line';
    expect([exitCode, stderr]).toEqual([2, `ticklake: ${text}\n`]);
    expect(existsSync(home)).toBe(false);
  });
});

describe('ticklake init where a password is typed', () => {
  const typing = (replies: readonly (readonly [string, string])[], isPiped = false) =>
    runTyping(home, replies, isPiped, 'init', ...NAMES);

  it('makes nothing where the two differ', async () => {
    const replies = [
      [PROMPT, `${PASSWORD}\r`],
      [REPEAT, `${PASSWORD}!\r`],
    ] as const;
    const { exitCode, stderr } = await typing(replies);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('the two passwords differ')]);
    expect(existsSync(home)).toBe(false);
  });

  it('makes a password up where none is typed, and shows it once', async () => {
    const { exitCode, stdout, stderr } = await typing([[PROMPT, '\r']]);
    expect(exitCode, stderr).toBe(0);
    const [, password = ''] = /^Password: (\w{20})$/m.exec(stdout) ?? [];
    expect(await opens(password)).toBe(true);
    expect((await listed('user', 'list')).data).toMatchObject([{ is_password_initial: true }]);
  });

  it('makes none up where standard output is not the terminal', async () => {
    const { exitCode, stdout, stderr } = await typing([[PROMPT, '\r']], true);
    const text = expect.stringContaining('standard output is not one');
    expect([exitCode, stdout, stderr]).toEqual([2, '', text]);
    expect(existsSync(home)).toBe(false);
  });
});

describe.skipIf(!hasTerminal)('ticklake init on a terminal', () => {
  it('asks for the password twice, and shows neither', async () => {
    const replies = [
      [PROMPT, `${PASSWORD}\r`],
      [REPEAT, `${PASSWORD}\r`],
    ] as const;
    const { exitCode, shown } = await runAtTerminal(home, ['init', ...NAMES], replies);
    expect(exitCode, shown).toBe(0);
    expect(shown).toContain('Created the account Own data (id 1)');
    for (const word of PASSWORD.split(' ')) expect(shown).not.toContain(word);
    expect(await opens(PASSWORD)).toBe(true);
  });

  it('is left with the interrupt key', async () => {
    const { exitCode, shown } = await runAtTerminal(home, ['init', ...NAMES], [[PROMPT, '\u0003']]);
    expect([exitCode, shown]).toEqual([130, expect.stringContaining('ticklake: interrupted')]);
    expect(existsSync(home)).toBe(false);
  });
});

describe('a command that makes a secret', () => {
  const SECRETS = [
    ['api_key', ['key', 'create', '1', '--name', 'k', '--expires-in', '1d'], /^[\w-]{35}\n$/],
    ['password', ['user', 'create', '--owner', '--email', 'a@b.example'], /^\w{20}\n$/],
    ['password', ['user', 'reset-password', '1'], /^\w{20}\n$/],
  ] as const;
  const made = newFolder();
  beforeAll(async () => {
    const file = join(made.path, 'password');
    writeFileSync(file, PASSWORD);
    const { exitCode } = await runPiped(
      join(made.path, 'home'),
      ...['init', ...NAMES, '--password-file', file],
    );
    expect(exitCode).toBe(0);
  });
  afterAll(async () => made.remove());
  beforeEach(async () => cpSync(join(made.path, 'home'), home, { recursive: true }));
  const auditRows = async () => (await listed('audit')).data.length;

  it.each(SECRETS)('gives the %s of %j to no pipe, and does nothing', async (member, words) => {
    const name = { api_key: 'API key', password: 'password' }[member];
    const before = await auditRows();
    for (const more of [[], ['--json']]) {
      const { exitCode, stdout, stderr } = await runPiped(home, ...words, ...more);
      expect([exitCode, stdout + stderr]).toEqual([
        2,
        expect.stringMatching(
          `^(ticklake: |{"error":")a new ${name} is shown only on a terminal, and standard output is ` +
            'not one; write it to a new file with --secret-file FILE',
        ),
      ]);
    }
    expect(await auditRows()).toBe(before);
  });

  it.each(SECRETS)(
    'writes the %s of %j to a new file for its owner alone',
    async (member, words, form) => {
      const file = join(folder.path, 'secret');
      const { exitCode, stdout } = await runPiped(home, ...words, '--secret-file', file, '--json');
      expect(exitCode, stdout).toBe(0);
      const answer = JSON.parse(stdout);
      expect(answer).toMatchObject({ secret_file: file });
      expect(answer).not.toHaveProperty(member);
      const secret = readFileSync(file, 'utf8');
      expect(secret).toMatch(form);
      expect(stdout).not.toContain(secret.trim());
      expect(statSync(file).mode & 0o777).toBe(0o600);

      const before = await auditRows();
      const again = await runPiped(home, ...words, '--secret-file', file);
      const text = `ticklake: --secret-file must be a new file: ${file} exists\n`;
      expect([again.exitCode, again.stderr]).toEqual([2, text]);
      expect([await auditRows(), readFileSync(file, 'utf8')]).toEqual([before, secret]);
    },
  );

  it('leaves no file when it fails, and does nothing when it cannot make one', async () => {
    const file = join(folder.path, 'secret');
    const [, words] = SECRETS[0];
    const wrong = await runPiped(
      home,
      'key',
      'create',
      '99',
      ...words.slice(3),
      '--secret-file',
      file,
    );
    expect([wrong.exitCode, existsSync(file)]).toEqual([2, false]);
    const before = await auditRows();
    const nowhere = await runPiped(home, ...words, '--secret-file', join(file, 'inside'));
    expect([nowhere.exitCode, nowhere.stderr]).toEqual([
      2,
      expect.stringMatching(/^ticklake: --secret-file: \/.* does not exist; check the path\n$/),
    ]);
    expect(await auditRows()).toBe(before);
  });

  it.skipIf(!hasTerminal)('shows it on a terminal', async () => {
    const { exitCode, shown } = await runAtTerminal(home, SECRETS[0][1]);
    expect([exitCode, shown]).toEqual([0, expect.stringMatching(/^api_key {7}[\w-]{35}$/m)]);
  });
});
