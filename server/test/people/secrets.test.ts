import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DEMO_OWNER_EMAIL, demoPasswordFile } from '@ticklake/demo/demo-home.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from '../command-line/run-command.ts';
import {
  type Home,
  makeHome,
  type ServerProcess,
  startServer,
} from '../operation/server-process.ts';
import { Browser } from './people-service.ts';

const OWNER = DEMO_OWNER_EMAIL;

let home: Home;
let server: ServerProcess;
let owner: Browser;
/** Passwords, tokens and keys: everything that lets somebody in, or did. */
const secrets: string[] = [];

beforeAll(async () => {
  home = await makeHome(10, 10);
  server = await startServer(home, { TICKLAKE_LOG_LEVEL: 'debug' });
  owner = new Browser(server.url);
});
afterAll(async () => {
  server.child.kill('SIGTERM');
  await server.ended;
  home.remove();
});

function keepSecretsOf(browser: Browser): void {
  secrets.push(browser.cookie.split('=')[1] as string, browser.csrfToken);
}

it('the file that the demo leaves has a sign-in that works', async () => {
  const password = readFileSync(demoPasswordFile(home.path), 'utf8').trim();
  secrets.push(password);
  expect((await owner.signIn(OWNER, password)).body).toMatchObject({
    person: { email: OWNER, role: 'owner', is_password_initial: true },
    identity: { name: 'demo' },
  });
  keepSecretsOf(owner);
  expect((await owner.get('/people')).body.data).toHaveLength(1);
});

it('a person made at the command line signs in at the server at once', async () => {
  const words = ['user', 'create', '--role', 'member', '--identity', '1', '--email', 'a@b.example'];
  const { stdout } = await runCommand(home.path, ...words, '--json');
  const { password, person_id: personId } = JSON.parse(stdout);
  secrets.push(password);
  const member = new Browser(server.url);
  expect((await member.signIn('a@b.example', password)).status).toBe(200);
  keepSecretsOf(member);
  await runCommand(home.path, 'user', 'deactivate', `${personId}`);
  expect((await member.get('/account/my')).status).toBe(401);
});

it('neither log nor store nor any answer about what happened holds a secret', async () => {
  const [password = ''] = secrets;
  const changed = 'ano-ther pass_word 123';
  secrets.push(changed);
  const change = { current_password: password, new_password: changed };
  expect((await owner.post('/session/password', change)).status).toBe(200);
  keepSecretsOf(owner);
  const made = await owner.post('/account/my/api-keys', { name: 'k', expires_in: '1d' });
  secrets.push(made.body.api_key);
  for (const secret of [...secrets]) {
    const careless = new Browser(server.url);
    await careless.signIn(secret, secret);
    await careless.signIn(OWNER, secret.slice(1));
    await careless.post('/session', `{"email": "${secret}", "password": ${secret}`);
    await careless.post('/session', { email: [secret], pasword: secret });
    await careless.post(`/session?password=${encodeURIComponent(secret)}`, {});
    await careless.get('/account/my', { cookie: `ticklake_session=${secret}` });
    await owner.post('/session/password', { current_password: secret, new_password: secret });
  }
  const reset = await owner.post('/people/2/reset-password');
  secrets.push(reset.body.password);
  const told = {
    log: server.stderr(),
    audit: JSON.stringify((await owner.get('/audit-log?limit=1000')).body),
    requests: JSON.stringify((await owner.get('/requests')).body),
    people: JSON.stringify((await owner.get('/people')).body),
    banner: server.stdout(),
  };
  expect(told.log).toContain('"path":"/v1/session/password"');
  const failures = told.log.split('\n').filter((line) => line.includes('"wrong password"'));
  const persons = failures.map((line) => {
    const { level, source, person_id: personId } = JSON.parse(line);
    expect([level, source]).toEqual(['warn', '127.0.0.1']);
    return personId;
  });
  expect(new Set(persons)).toEqual(new Set([null, 1]));
  expect(told.audit).toContain('resetPersonPassword');
  expect(new Set(secrets).size).toBe(secrets.length);
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(19);
    const parts = Array.from({ length: secret.length - 11 }, (_, at) => secret.slice(at, at + 12));
    for (const [where, text] of Object.entries(told)) {
      const line = text.split(/[\n{]/).find((each) => parts.some((part) => each.includes(part)));
      expect(line, where).toBeUndefined();
    }
  }
  for (const file of readdirSync(home.path, { recursive: true, encoding: 'utf8' })) {
    const path = join(home.path, file);
    if (!statSync(path).isFile() || path === demoPasswordFile(home.path)) continue;
    const bytes = readFileSync(path, 'latin1');
    for (const secret of secrets) expect(bytes.includes(secret), file).toBe(false);
  }
});
