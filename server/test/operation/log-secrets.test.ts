import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../command-line/run-command.ts';
import { connectToDuckDB } from '../duckdb-connection.ts';
import {
  type Home,
  makeHome,
  ROWS_PATH,
  type ServerProcess,
  startServer,
} from './server-process.ts';

interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly request_id?: string;
  readonly [name: string]: unknown;
}

let home: Home;
let server: ServerProcess;
let adminKey: string;
/** Everything that is a key, was one, or was sent as one. */
const keys: string[] = [];

beforeAll(async () => {
  home = await makeHome(10, 10);
  server = await startServer(home, { TICKLAKE_LOG_LEVEL: 'debug' });
  const command = async (...words: string[]) => {
    const { stdout, stderr, exitCode } = await runCommand(home.path, ...words, '--json');
    expect(exitCode, stderr + stdout).toBe(0);
    return JSON.parse(stdout);
  };
  const { identity_id: id } = await command('identity', 'create', '--name', 'owner', '--admin');
  const made = await command(
    'key',
    'create',
    '--identity',
    `${id}`,
    '--name',
    'k',
    '--expires',
    '2099-01-01T00:00:00Z',
  );
  adminKey = made.key ?? made.api_key;
  expect(adminKey).toMatch(/^[\w-]{35}$/);
  keys.push(adminKey, server.key);
});
afterAll(() => home.remove());

async function ask(path: string, init: RequestInit = {}, key = adminKey) {
  const headers = { 'x-api-key': key, ...init.headers };
  const answer = await fetch(`${server.url}${path}`, { ...init, headers });
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

function post(path: string, body: unknown, key = adminKey) {
  const headers = { 'content-type': 'application/json' };
  return ask(path, { method: 'POST', body: JSON.stringify(body), headers }, key);
}

/** Bytes as they are, for requests that no client library would send. */
function sendRaw(text: string): Promise<string> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
    socket.write(text);
  });
}

function logLines(): LogLine[] {
  const lines = server
    .stderr()
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line));
}

async function createKeys(): Promise<string> {
  const account = await post('/v1/identities', { name: 'client', max_active_api_keys: 5 });
  expect(account.status, account.text).toBe(200);
  const { identity_id: id } = JSON.parse(account.text);
  const made = await post(`/v1/identities/${id}/api-keys`, {
    name: 'first',
    expires_at: '2099-01-01T00:00:00Z',
  });
  expect(made.status, made.text).toBe(200);
  const key = /[\w-]{35}/.exec(made.text)?.[0] as string;
  keys.push(key);
  await post(`/v1/identities/${id}/data-access-rules`, { dataset_id: 'US1020', start_date: key });
  await post('/v1/identities', { name: key, [key]: key, ip_subnets: [key] });
  await post(`/v1/identities/${key}/api-keys`, { name: key });
  await ask('/v1/identities', {
    method: 'POST',
    body: `{"${key}`,
    headers: { 'content-type': 'application/json' },
  });
  await ask('/v1/identities', {
    method: 'POST',
    body: key,
    headers: { 'content-type': `text/${key}` },
  });
  return key;
}

/** Keys in every place that a careless client may put them. */
async function misplaceKeys(key: string): Promise<void> {
  const wrong = 'w'.repeat(20) + 'R0-_'.repeat(4).slice(0, 15);
  keys.push(wrong);
  await ask('/v1/account/my', {}, wrong);
  await ask('/v1/account/my', {}, `${key} `);
  await ask('/v1/account/my', {}, `Bearer ${key}`);
  for (const path of [
    `/v1/account/my?api_key=${key}`,
    `/v1/account/${key}`,
    `/${key}/account/my`,
    `/v1/api-keys/${key}/deactivate`,
    `/v1/meta/datasets/${key}/info`,
    `${ROWS_PATH}/${key}`,
    `${ROWS_PATH}?Ticker=${key}`,
    `${ROWS_PATH}?${key}=1`,
    `${ROWS_PATH}?columns=${key}`,
    `/v1/data/us-equity/eq-taq/${key}/${key}`,
    `/v1/data/us-equity/eq-taq/2025-06-18/${key}.json`,
    `/v1/%zz/${key}`,
    `/v1/${encodeURIComponent(`key="${key}"`)}`,
    `/v1/account/my?${`${key}&`.repeat(600)}`,
  ]) {
    await ask(path, {}, key);
  }
  const headers = {
    authorization: `Bearer ${key}`,
    cookie: `key=${key}`,
    'user-agent': key,
    referer: `https://example.com/?key=${key}`,
    'x-request-id': key,
    'x-amzn-requestid': key,
    'x-forwarded-for': key,
  };
  await ask('/v1/account/my', { headers }, key);
  await ask('/v1/account/my', { headers: { origin: `https://${key}` } }, key);
  const end = `Host: ${key}\r\nConnection: close\r\n\r\n`;
  await sendRaw(`GET http://user:${key}@host/v1/account/my HTTP/1.1\r\n${end}`);
  await sendRaw(`GET /v1/account/my#${key} HTTP/1.1\r\n${end}`);
  await sendRaw(`${key} /v1/account/my HTTP/1.1\r\n${end}`);
  await sendRaw(`GET /v1/account/my HTTP/1.1\r\nX-API-KEY ${key}\r\n${end}`);
}

/** A failure inside, about a request that names a key. */
async function failInside(key: string): Promise<string> {
  const folder = join(home.path, 'lake');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const connection = await connectToDuckDB();
  for (const file of files.filter((name) => name.endsWith('.parquet'))) {
    // The file stays readable and no shorter: one missing, truncated or damaged would be a 503.
    await connection.run(
      `COPY (SELECT range AS Other FROM range(100_000)) TO '${join(folder, file)}' (FORMAT parquet)`,
    );
  }
  connection.closeSync();
  const failed = await ask(`${ROWS_PATH}?Name=${key}`, {}, server.key);
  expect(failed.status).toBe(500);
  expect(failed.text).toBe('{"detail":"Internal server error"}');
  return failed.headers.get('x-request-id') as string;
}

describe('the log of a whole run at its most talkative', () => {
  let failedId: string;
  beforeAll(async () => {
    const key = await createKeys();
    await misplaceKeys(key);
    await ask(`${ROWS_PATH}?limit=3`, {}, server.key);
    failedId = await failInside(key);
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  });

  it('holds no key, nor a part of one, nor its hash', () => {
    const log = server.stderr();
    expect(new Set(keys).size).toBe(4);
    for (const key of keys) {
      // Anybody may see the last four characters of a key.
      for (let at = 0; at + 8 <= key.length; at += 1)
        expect(log).not.toContain(key.slice(at, at + 8));
      for (const encoding of ['hex', 'base64', 'base64url'] as const) {
        expect(log).not.toContain(createHash('sha256').update(key).digest(encoding).slice(0, 12));
      }
    }
    const [, , made, wrong] = keys;
    expect(server.stdout()).not.toContain(made);
    expect(server.stdout()).not.toContain(wrong);
    expect(server.stdout()).not.toContain(adminKey);
  });

  it('has one line for each answered request, and what the operator needs in it', () => {
    const answered = logLines().filter(({ msg }) => msg === 'answered');
    expect(answered.length).toBeGreaterThan(25);
    expect(new Set(answered.map((line) => line.request_id)).size).toBe(answered.length);
    for (const line of answered) {
      expect(Object.keys(line).sort()).toEqual([
        'bytes',
        'identity_id',
        'key_id',
        'level',
        'method',
        'ms',
        'msg',
        'path',
        'person_id',
        'request_id',
        'status',
        'time',
      ]);
    }
    const [read] = answered.filter(({ path, status }) => path === ROWS_PATH && status === 200);
    expect(read).toMatchObject({ level: 'info', method: 'GET' });
    expect(read?.identity_id).toBeTypeOf('number');
    expect(read?.key_id).toBeTypeOf('number');
    expect(read?.ms).toBeGreaterThan(0);
    expect(read?.bytes).toBeGreaterThan(100);
    expect(read?.time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const refused = answered.filter(({ status }) => status === 401);
    expect(refused.length).toBeGreaterThan(1);
    expect(refused.every((line) => line.key_id === null)).toBe(true);
  });

  it('has the stack of a failure inside, under the id that the caller was given', () => {
    const [failure, ...others] = logLines().filter(({ level }) => level === 'error');
    expect(others).toEqual([]);
    expect(failure).toMatchObject({ msg: 'request failed', request_id: failedId });
    const { stack, type } = failure!.err as Record<string, string>;
    expect(stack).toMatch(/^Error: the engine failed to read eq_trading_halts, version 1\n {4}at /);
    expect(stack).toMatch(/\ncaused by: Error: ./);
    expect(type).toMatch(/Error$/);
    expect(failure?.req).toEqual({ method: 'GET', path: ROWS_PATH });
  });
});
