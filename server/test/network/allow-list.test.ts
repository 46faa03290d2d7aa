import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';
import type { Config } from '../../src/settings/config.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openTestService, type TestService } from '../harness.ts';
import { writing } from '../writing.ts';

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((address) => address?.address === '::1');

const NOT_ALLOWED = { detail: 'Forbidden: IP address not allowed' };

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

interface Call {
  /** Own address of the client's socket. */
  readonly from: string;
  /** Address of the server that is called; the client's own without it. */
  readonly to?: string;
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
}

/** Services by where they listen and whom they trust. */
const opened = new Map<string, TestService>();
let service: TestService;
let port: number;
afterAll(async () => {
  for (const each of opened.values()) await each.close();
});

/** Lets in from everywhere. */
async function listen(host: string, settings: Partial<Config> = {}): Promise<void> {
  const name = JSON.stringify([host, settings]);
  service = opened.get(name) ?? (await openTestService(settings));
  if (!opened.has(name)) await service.app.listen({ host, port: 0 });
  opened.set(name, service);
  port = (service.app.server.address() as AddressInfo).port;
  await allow();
}

async function allow(...ipSubnets: string[]): Promise<void> {
  await writing(service.services.store).accounts.update(service.accountId, { ipSubnets });
}

function call({ from, to = from, path = '/v1/account/my', headers = {} }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = {
      host: to,
      port,
      path,
      localAddress: from,
      agent: false,
      headers: { 'x-api-key': service.key, ...headers },
    };
    const sent = request(options, async (answer) => {
      let text = '';
      for await (const chunk of answer) text += chunk;
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: JSON.parse(text) });
    });
    sent.on('error', reject);
    sent.end();
  });
}

async function expectAllowed(...calls: Call[]): Promise<void> {
  for (const each of calls) expect((await call(each)).status, JSON.stringify(each)).toBe(200);
}

async function expectRefused(...calls: Call[]): Promise<void> {
  for (const each of calls) {
    const { status, headers, body } = await call(each);
    expect(body, JSON.stringify(each)).toEqual(NOT_ALLOWED);
    expect(status).toBe(403);
    expect(headers['x-request-id']).toBeTypeOf('string');
  }
}

/** Headers of a client that pretends to be 127.0.0.2. */
const FORGERIES: readonly OutgoingHttpHeaders[] = [
  { 'x-forwarded-for': '127.0.0.2' },
  { 'x-forwarded-for': '127.0.0.2, 127.0.0.2' },
  { 'x-forwarded-for': ['127.0.0.2', '127.0.0.2'] },
  { 'x-real-ip': '127.0.0.2' },
  { 'x-client-ip': '127.0.0.2', 'true-client-ip': '127.0.0.2', 'cf-connecting-ip': '127.0.0.2' },
  { forwarded: 'for=127.0.0.2' },
  { 'x-original-forwarded-for': '127.0.0.2', via: '1.1 127.0.0.2', host: '127.0.0.2' },
];

describe('a server on an IPv4 address', () => {
  it('lets in from the listed addresses and refuses the others', async () => {
    await listen('0.0.0.0');
    await expectAllowed({ from: '127.0.0.1' }, { from: '127.0.0.2' });
    await allow('127.0.0.1/32');
    await expectAllowed({ from: '127.0.0.1' });
    await expectRefused({ from: '127.0.0.2' }, { from: '127.0.0.2', to: '127.0.0.1' });
    await allow('127.0.0.2/31', '2001:db8::/32');
    await expectRefused({ from: '127.0.0.1' });
    await expectAllowed({ from: '127.0.0.2' }, { from: '127.0.0.3' });
    await allow('127.0.0.0/8');
    await expectAllowed({ from: '127.0.0.1' }, { from: '127.0.0.2' });
  });

  it('judges by the address of the client, not by the one it calls', async () => {
    await listen('0.0.0.0');
    await allow('127.0.0.2/32');
    await expectRefused({ from: '127.0.0.1', to: '127.0.0.2' });
    await expectAllowed({ from: '127.0.0.2', to: '127.0.0.2' });
  });

  it('acts on a change at the next request of an open connection', async () => {
    await listen('0.0.0.0');
    const socket = connect({ host: '127.0.0.1', port });
    const ask = async () => {
      const head = `GET /v1/account/my HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${service.key}\r\n\r\n`;
      const answer = new Promise<string>((resolve) => {
        socket.once('data', (chunk) => resolve(chunk.toString()));
      });
      socket.write(head);
      return (await answer).split('\r\n')[0];
    };
    expect(await ask()).toBe('HTTP/1.1 200 OK');
    await allow('127.0.0.2/32');
    expect(await ask()).toBe('HTTP/1.1 403 Forbidden');
    await allow();
    expect(await ask()).toBe('HTTP/1.1 200 OK');
    socket.destroy();
  });

  it('believes no header of a client that is no trusted proxy', async () => {
    await listen('0.0.0.0', readConfigOf({ TICKLAKE_TRUSTED_PROXIES: '127.0.0.9' }));
    await allow('127.0.0.2/32');
    for (const headers of FORGERIES) await expectRefused({ from: '127.0.0.1', headers });
    for (const headers of FORGERIES) await expectAllowed({ from: '127.0.0.2', headers });
  });

  it('asks for the address after key, account and expiry', async () => {
    await listen('0.0.0.0');
    const { store } = service.services;
    await allow('127.0.0.2/32');
    const from = '127.0.0.1';
    expect((await call({ from, headers: { 'x-api-key': '' } })).status).toBe(401);
    expect((await call({ from, headers: { 'x-api-key': 'wrong' } })).status).toBe(401);
    expect((await call({ from, path: '/v1/nothing' })).status).toBe(404);
    expect((await call({ from, path: '/v1/account/my?x=1' })).status).toBe(403);
    await expectRefused({ from, path: '/v1/data/us-equity/nothing' });
    await writing(store).accounts.update(service.accountId, { isActive: false });
    expect((await call({ from })).status).toBe(410);
    await writing(store).accounts.update(service.accountId, { isActive: true });
    service.clock.set('2026-06-20T00:00:00Z');
    expect((await call({ from })).status).toBe(410);
    service.clock.set('2025-06-20T16:00:00Z');
  });
});

describe.skipIf(!hasIpv6)('a server on IPv6 (skipped where the machine has none)', () => {
  it('keeps ::1 apart from 127.0.0.1', async () => {
    await listen('::');
    await allow('127.0.0.0/8', '0.0.0.0/0');
    await expectRefused({ from: '::1' });
    await allow('::1');
    await expectAllowed({ from: '::1' });
    await allow('2001:db8::/32');
    await expectRefused({ from: '::1', headers: { 'x-forwarded-for': '2001:db8::1' } });
  });

  it('matches the IPv4-mapped peers of a dual-stack socket with IPv4 subnets', async () => {
    await listen('::');
    const mapped = { from: '127.0.0.1', to: '127.0.0.1' };
    await allow('127.0.0.1/32');
    await expectAllowed(mapped);
    await expectRefused({ from: '127.0.0.2' }, { from: '::1' });
    await allow('::ffff:127.0.0.0/120');
    await expectAllowed(mapped, { from: '127.0.0.2' });
    await expectRefused({ from: '::1' });
    await allow('::/0');
    await expectRefused(mapped);
    await expectAllowed({ from: '::1' });
  });

  it('knows a trusted proxy by its IPv4 address when it comes in mapped form', async () => {
    await listen('::', readConfigOf({ TICKLAKE_TRUSTED_PROXIES: '127.0.0.1,::1' }));
    await allow('203.0.113.0/24');
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    await expectAllowed({ from: '127.0.0.1', headers }, { from: '::1', headers });
    await expectRefused({ from: '127.0.0.2', headers });
  });
});

function readConfigOf(environment: Record<string, string>): Partial<Config> {
  const { trustedProxies } = readConfig(environment);
  return { trustedProxies };
}

describe('behind trusted proxies', () => {
  const settings = readConfigOf({ TICKLAKE_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' });
  const from = '127.0.0.1';
  const through = (...entries: string[]): Call => ({
    from,
    headers: { 'x-forwarded-for': entries.join(', ') },
  });

  it('takes the last address that the chain of proxies saw', async () => {
    await listen('0.0.0.0', settings);
    await allow('203.0.113.0/24');
    await expectAllowed(
      through('203.0.113.7'),
      through('198.51.100.1', '203.0.113.7'),
      through('198.51.100.1', '203.0.113.7', '10.0.0.1', '10.9.9.9'),
      { from, headers: { 'x-forwarded-for': ['198.51.100.1', '203.0.113.7'] } },
    );
    await expectRefused(
      { from },
      through('198.51.100.1'),
      through('203.0.113.7', '198.51.100.1'),
      through('203.0.113.7', '198.51.100.1', '10.0.0.1'),
      through('203.0.113.7', '198.51.100.1', 'garbage'),
      through('203.0.113.7', ''),
      { from, headers: { 'x-forwarded-for': ['203.0.113.7', '198.51.100.1'] } },
      { from, headers: { 'x-real-ip': '203.0.113.7', forwarded: 'for=203.0.113.7' } },
      { from: '127.0.0.2', headers: { 'x-forwarded-for': '203.0.113.7' } },
    );
  });

  it('takes over the request id of the edge, when it looks like one', async () => {
    await listen('0.0.0.0', settings);
    const idOf = async (each: Call) => (await call(each)).headers['x-amzn-requestid'];
    const kept = 'Root=1-67891233-abcdef012345678912345678';
    expect(await idOf({ from, headers: { 'x-amzn-RequestId': kept } })).toBe(kept);
    expect(await idOf({ from, path: '/v1/nothing', headers: { 'x-amzn-RequestId': kept } })).toBe(
      kept,
    );
    const untrusted = { from: '127.0.0.2', to: '127.0.0.1', headers: { 'x-amzn-RequestId': kept } };
    expect(await idOf(untrusted)).toMatch(/^[0-9a-f-]{36}$/);
    for (const odd of ['', 'a b', 'a<b>', 'é', 'x'.repeat(129)]) {
      const headers = { 'x-amzn-RequestId': odd };
      expect(await idOf({ from, headers }), odd).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it("names the proxy's scheme and host in links, and nobody else's", async () => {
    await listen('0.0.0.0', settings);
    const path = '/v1/meta/datasets/US1032/info';
    const headers = {
      host: 'inside:8080',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'data.example.com',
    };
    const linkOf = async (each: Call) => {
      const { body } = await call({ path, ...each });
      return String((body as Record<string, unknown>).documentation_link).split('/v1/')[0];
    };
    expect(await linkOf({ from, headers })).toBe('https://data.example.com');
    expect(await linkOf({ from: '127.0.0.2', to: from, headers })).toBe('http://inside:8080');
    const odd = {
      ...headers,
      'x-forwarded-proto': 'javascript',
      'x-forwarded-host': 'inside:8080',
    };
    expect(await linkOf({ from, headers: odd })).toBe('http://inside:8080');
    const chain = { ...headers, 'x-forwarded-host': 'evil.example.org, data.example.com' };
    expect(await linkOf({ from, headers: chain })).toBe('https://data.example.com');
  });
});
