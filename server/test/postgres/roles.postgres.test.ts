/**
 * The roles of docs/postgresql.md, created by its own lines: their privileges, and how they log in.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressOf, type PostgresAddress } from '../../src/store/postgres/address.ts';
import { PostgresControlStore } from '../../src/store/postgres/control-store.ts';
import { PostgresDatabase } from '../../src/store/postgres/database.ts';
import { certify } from '../certificates.ts';
import { freePort } from '../free-port.ts';
import { PROGRAM } from '../program.ts';
import { fill, usageOf } from '../store/control-store/samples.ts';
import { writing } from '../writing.ts';
import { isPostgresMissing, TestPostgres } from './start-postgres.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/postgresql.md'), 'utf8');
const SECRET = 'a-secret-that-nobody-may-see';

const [asAdministrator = '', asOwner = '', afterwards = '', inDatabase = ''] = [
  ...PAGE.matchAll(/```sql\n([^`]*)```/g),
].map(([, sql]) => sql);

const [serve = '', copies = '', migrate = '', backup = ''] = [
  ...PAGE.matchAll(/```sh\n([^`]*)```/g),
].map(([, commands]) => commands);

/** Statements of the page, one by one. */
const statementsOf = (sql: string) => sql.split(';').filter((each) => each.trim() !== '');

describe.skipIf(isPostgresMissing())('the roles of a store in PostgreSQL', () => {
  let server: TestPostgres;
  let folder: string;
  let port: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ticklake-roles-'));
    port = `${await freePort()}`;
    server = await TestPostgres.start({
      settings: { listen_addresses: '127.0.0.1', port },
      access: [
        'hostssl all ticklake_server 127.0.0.1/32 scram-sha-256',
        'hostnossl all ticklake_server 127.0.0.1/32 reject',
      ],
    });
    encrypt();
    await server.stop();
    await server.start({ ssl: 'on' });
    await server.execute('postgres', ...statementsOf(asAdministrator));
    await asRole('ticklake_owner', ...statementsOf(asOwner));
  });

  afterAll(async () => {
    await server?.remove();
    rmSync(folder, { recursive: true });
  });

  /** Gives the server a certificate, by an authority of our own. */
  function encrypt() {
    const { key, certificate } = certify(folder);
    const own = [key, certificate].map((path) => join(server.dataFolder, basename(path)));
    cpSync(key, own[0] as string);
    cpSync(certificate, own[1] as string);
    execFileSync('chown', ['--reference', server.dataFolder, ...own]);
  }

  async function asRole(user: string, ...statements: string[]) {
    const database = new PostgresDatabase(server.address('ticklake', user), 1);
    try {
      for (const sql of statements) await database.run(sql);
    } finally {
      await database.close();
    }
  }

  const command = (words: string[], store: string, env: Record<string, string> = {}) => {
    const { PATH } = process.env;
    const given = { PATH, TICKLAKE_HOME: join(folder, 'home'), TICKLAKE_STORE: store, ...env };
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...words], {
      env: given,
      encoding: 'utf8',
    });
    return { status, output: `${stdout}${stderr}` };
  };

  /** Runs commands of the page as printed, but for the database's address and its file. */
  function shell(commands: string, given: Record<string, string>) {
    const text = commands
      .replaceAll(/postgres:\/\/(\w+)@db\.example\.com\/ticklake/g, (_, user: string) =>
        server.url('ticklake', user),
      )
      .replaceAll('/etc/ticklake/pgpass', join(folder, 'pgpass'));
    const program = `ticklake() { '${process.execPath}' '${PROGRAM}' "$@"; }\n`;
    const env = { PATH: `${process.env.PATH}`, PORT: '0', TICKLAKE_OPERATION_PORT: '0', ...given };
    const child = spawn('sh', ['-euc', `${program}${text}`], { cwd: folder, env, detached: true });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (output += chunk));
    return { child, closed: once(child, 'close'), output: () => output };
  }

  async function expectDone(commands: string, given: Record<string, string>) {
    const { closed, output } = shell(commands, given);
    const [code] = await closed;
    expect([code, output()]).toEqual([0, expect.not.stringContaining('ticklake: ')]);
  }

  const tcp = (sslmode: string, host = 'localhost') =>
    `postgres://ticklake_server@${host}:${port}/ticklake?sslmode=${sslmode}&sslrootcert=${join(folder, 'authority.crt')}`;

  it('a server whose tables are missing says what has to be run, and the owner runs it', async () => {
    const refused = command(['identity', 'list'], server.url('ticklake', 'ticklake_server'));
    expect(refused.status).toBe(2);
    expect(refused.output).toMatch(/run ticklake store migrate as the owner of the tables\n$/);
    expect(refused.output.trim().split('\n')).toHaveLength(1);
    await expectDone(migrate, { TICKLAKE_HOME: join(folder, 'home') });
    await asRole('ticklake_owner', ...statementsOf(afterwards));
    await server.execute('ticklake', ...statementsOf(inDatabase));
  });

  it('the role of a server is enough for all that a server does', async () => {
    const store = await PostgresControlStore.open(server.address('ticklake', 'ticklake_server'));
    const { accountId, keyId, personId, hash } = await store.transaction(fill);
    await store.prepare();
    await store.maintain();
    await writing(store).usage.add([usageOf(accountId, { keyId })]);
    await writing(store).usage.deleteLedger(Date.now(), 10);
    const entry = { happenedAtMs: 1, actor: 'a', source: 's', operation: 'o', target: 't' };
    await writing(store).audit.append({ ...entry, before: null, after: { a: 1 } });
    await writing(store).people.delete(personId);
    await writing(store).keys.delete(keyId);
    await store.catchUp();
    expect(store.replica.findCredential(hash)).toBeNull();
    await store.close();
  });

  it.each([
    'ALTER TABLE ticklake.identity ADD COLUMN more text',
    'DROP TABLE ticklake.audit_log',
    'CREATE TABLE ticklake.more (id integer)',
    'CREATE TABLE public.more (id integer)',
    'ALTER TABLE ticklake.identity DISABLE TRIGGER ALL',
    'SET session_replication_role = replica',
    'UPDATE ticklake.audit_log SET actor = $$b$$',
    'DELETE FROM ticklake.audit_log',
    'UPDATE ticklake.schema_version SET version = 0',
    'UPDATE ticklake.deployment SET deployment_id = gen_random_uuid()',
    'CREATE OR REPLACE FUNCTION ticklake.note_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
  ])('the role of a server may not: %s', async (sql) => {
    await expect(asRole('ticklake_server', sql)).rejects.toThrow('the user may not do this');
  });

  it('a password comes from the environment or a file, and stands in no message', async () => {
    await server.execute('ticklake', `ALTER ROLE ticklake_server PASSWORD '${SECRET}'`);
    const file = join(folder, 'pgpass');
    writeFileSync(file, `localhost:${port}:ticklake:ticklake_server:${SECRET}\n`, { mode: 0o600 });
    const list = (store: string, env: Record<string, string>) =>
      command(['identity', 'list'], store, env);
    for (const env of [{ PGPASSWORD: SECRET }, { PGPASSFILE: file }]) {
      expect(list(tcp('verify-full'), env as Record<string, string>)).toMatchObject({ status: 0 });
    }
    const wrong = list(tcp('verify-full'), { PGPASSWORD: `${SECRET}-but-wrong` });
    expect(wrong.status).toBe(2);
    expect(wrong.output).toContain('it refuses the user or the password; check TICKLAKE_STORE');
    const inAddress = `postgres://ticklake_server:${SECRET}@localhost:${port}/ticklake`;
    const refused = list(inAddress, {});
    expect(refused.status).toBe(2);
    expect(refused.output).toContain('TICKLAKE_STORE must be postgres://USER@HOST');
    expect(wrong.output + refused.output).not.toContain(SECRET);
  });

  it('a server is believed by its certificate, as far as sslmode asks', async () => {
    const opens = async (address: PostgresAddress) => {
      process.env.PGPASSWORD = SECRET;
      try {
        const store = await PostgresControlStore.open(address);
        await store.close();
        return 'opened';
      } catch (error) {
        return (error as Error).message;
      } finally {
        delete process.env.PGPASSWORD;
      }
    };
    const at = (url: string) => addressOf(url) as PostgresAddress;
    expect(await opens(at(tcp('verify-full')))).toBe('opened');
    expect(await opens(at(tcp('verify-ca', '127.0.0.1')))).toBe('opened');
    expect(await opens(at(tcp('verify-full', '127.0.0.1')))).toMatch(/TLS failed .*check sslmode/);
    const stranger = { ...at(tcp('verify-ca')), authorityFile: null };
    expect(await opens(stranger)).toMatch(/TLS failed .*check sslmode and sslrootcert/);
    expect(await opens({ ...stranger, tlsMode: 'require' })).toBe('opened');
    // The server asks for TLS from this role.
    expect(await opens({ ...stranger, tlsMode: 'disable' })).toContain('it refuses the user');
    const missing = { ...stranger, authorityFile: join(folder, 'missing') };
    expect(await opens(missing)).toMatch(/TLS file cannot be read: .*missing does not exist/);
  });

  it('another deployment’s store is refused, and so are copies of a home without its store', async () => {
    const url = server.url('ticklake', 'ticklake_server');
    expect(command(['identity', 'list'], url).status).toBe(0);
    const other = server.url(await server.newDatabase());
    const refused = command(['identity', 'list'], other);
    expect(refused.status).toBe(2);
    expect(refused.output).toContain('belongs to another deployment than the store');
    for (const words of [
      ['backup', join(folder, 'copy')],
      ['restore', join(folder, 'copy')],
    ]) {
      const { status, output } = command(words, url);
      expect([status, output]).toEqual([2, expect.stringContaining('back it up with pg_dump')]);
    }
  });

  it('the commands of the page move a home to the database and back, serve it, and save it', async () => {
    await server.execute(
      'postgres',
      'DROP DATABASE ticklake',
      ...statementsOf(asAdministrator).slice(2),
    );
    await asRole('ticklake_owner', ...statementsOf(asOwner));
    const [own, back] = ['own', 'back'].map((name) => ({ TICKLAKE_HOME: join(folder, name) }));
    const names = "--email you@example.com --account 'Our own data' --password-file password";
    writeFileSync(join(folder, 'password'), 'correct horse seven battery');
    mkdirSync(join(folder, 'back'));
    await expectDone(`ticklake init ${names}`, own as Record<string, string>);
    const [there = '', andBack = ''] = copies.trim().split('\n');
    await expectDone(there, own as Record<string, string>);
    await expectDone(andBack, back as Record<string, string>);
    await expectDone('ticklake identity list | grep Our', back as Record<string, string>);
    const { child, closed, output } = shell(serve, own as Record<string, string>);
    await expect.poll(output).toContain('listening on ');
    process.kill(-(child.pid as number), 'SIGTERM');
    await closed;
    const DATABASE = server.url('ticklake', 'postgres');
    const TICKLAKE_STORE = server.url('ticklake', 'ticklake_server');
    await expectDone(backup, { ...own, DATABASE, TICKLAKE_STORE });
  });
});
