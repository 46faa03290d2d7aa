import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApp } from '../../src/routes/app.ts';
import { openTestService, type TestService } from '../harness.ts';

const PAGE = '<!doctype html><title>Ticklake console</title>';
const SCRIPT = 'console.log("a script of the console");\n'.repeat(50);
const DOCUMENTATION = '<!doctype html><title>Asking for rows – Documentation</title>';
const LANDING = '<!doctype html><title>Market data</title>';
const REFERENCE = '<!doctype html><title>API reference</title>';
const SECRET = 'not for anybody';

let folder: string;
let service: TestService;
let app: FastifyInstance;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ticklake-console-'));
  const built = join(folder, 'dist');
  mkdirSync(join(built, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'secret.txt'), SECRET);
  writeFileSync(join(built, '.hidden.txt'), SECRET);
  writeFileSync(join(built, 'index.html'), PAGE);
  writeFileSync(join(built, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(built, 'landing.html'), LANDING);
  writeFileSync(join(built, 'reference.html'), REFERENCE);
  mkdirSync(join(built, 'docs', 'rules'), { recursive: true });
  writeFileSync(join(built, 'docs', 'index.html'), DOCUMENTATION);
  writeFileSync(join(built, 'docs', 'queries.html'), DOCUMENTATION);
  writeFileSync(join(built, 'docs', 'queries.html.br'), brotliCompressSync(DOCUMENTATION));
  writeFileSync(join(built, 'docs', 'queries.md'), '# Asking for rows');
  writeFileSync(join(built, 'docs', 'llms.txt'), '# Ticklake');
  writeFileSync(join(built, 'docs', 'rules', 'equities.html'), DOCUMENTATION);
  writeFileSync(join(built, 'assets', 'index-Ab_1-c2D.js'), SCRIPT);
  writeFileSync(join(built, 'assets', 'index-Ab_1-c2D.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(join(built, 'assets', 'index-Ab_1-c2D.js.gz'), gzipSync(SCRIPT));
  service = await openTestService();
  app = buildApp(service.services, built);
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await app.close();
  await service.close();
  rmSync(folder, { recursive: true });
});

const SCRIPT_PATH = '/console/assets/index-Ab_1-c2D.js';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; " +
  "frame-ancestors 'none'";

function address(): string {
  const bound = app.server.address();
  if (typeof bound !== 'object' || bound === null) throw new Error('the server does not listen');
  return `http://127.0.0.1:${bound.port}`;
}

const get = (path: string, init: RequestInit = {}) =>
  fetch(`${address()}${path}`, { redirect: 'manual', ...init });

/** Sends a request line as it is: `fetch` would tidy the path up. */
function getRaw(target: string): Promise<string> {
  const { port } = new URL(address());
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('end', () => resolve(answer)).on('error', reject);
    socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  });
}

function expectSecured({ headers }: Response): void {
  expect(headers.get('content-security-policy')).toBe(POLICY);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
  expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  expect(headers.get('permissions-policy')).toContain('camera=()');
  expect(headers.get('x-request-id')).not.toBeNull();
}

describe('the console', () => {
  it('is one page under every path that is no file, never to be kept', async () => {
    for (const below of ['', '/', '/index.html', '/keys', '/catalogue/US1032?a=b']) {
      const path = `/console${below}`;
      const answer = await get(path);
      expect(answer.status, path).toBe(200);
      expect(await answer.text(), path).toBe(PAGE);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expectSecured(answer);
    }
  });

  it('says where the interface is, who offers it and which version this is', async () => {
    const answer = await get('/console/config.json');
    expect(await answer.json()).toEqual({
      ...{ api: '/v1', version: '0.1.0', has_public_catalogue: false },
      ...{ name: 'Ticklake', text: null, logo: null, contact: null, sends_email: false },
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expectSecured(answer);
  });

  it('sends files that carry a hash as such that never change', async () => {
    const answer = await get(SCRIPT_PATH);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(answer.headers.get('content-type')).toBe('application/javascript; charset=utf-8');
    expectSecured(answer);
    const other = await get('/console/icon.svg');
    expect(other.headers.get('cache-control')).toBe('public, max-age=0');
    expect(other.headers.get('content-type')).toContain('image/svg+xml');
    expectSecured(other);
  });

  it.each([
    ['br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0.5, gzip;q=1', 'gzip', gunzipSync],
    ['identity', undefined, (bytes: Buffer) => bytes],
  ])('sends what was compressed beforehand to a client that accepts %s', async (...row) => {
    const [accepted, encoding, unpack] = row;
    const answer = await app.inject({
      url: SCRIPT_PATH,
      headers: { 'accept-encoding': accepted },
    });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-encoding']).toBe(encoding);
    expect(answer.headers.vary).toContain('accept-encoding');
    expect(answer.headers['content-type']).toBe('application/javascript; charset=utf-8');
    expect(unpack(answer.rawPayload).toString()).toBe(SCRIPT);
  });

  it('sends a file that was not compressed as it is', async () => {
    const answer = await get('/console/icon.svg', { headers: { 'accept-encoding': 'br, gzip' } });
    expect(answer.headers.get('content-encoding')).toBeNull();
    expect(await answer.text()).toContain('<svg');
  });

  it('answers a 404 for a file that there is not, as for any other path', async () => {
    const missing = ['assets/gone-12345678.js', 'favicon.ico', `${'x'.repeat(5000)}.js`, 'a//b.js'];
    for (const path of missing) {
      const answer = await get(`/console/${path}`);
      expect(answer.status, path).toBe(404);
      expect(await answer.json(), path).toEqual({ detail: 'Not Found' });
      expectSecured(answer);
    }
    expect(await (await get('/nothing')).json()).toEqual({ detail: 'Not Found' });
    expect(await (await get('/consoles/')).json()).toEqual({ detail: 'Not Found' });
  });

  it('answers a browser with a page that leads on, wherever there is nothing', async () => {
    for (const path of ['/nothing', '/docs/nothing', '/console/assets/gone-12345678.js']) {
      const answer = await get(path, { headers: { accept: 'text/html,*/*;q=0.8' } });
      expect([answer.status, answer.headers.get('content-type')], path).toEqual([
        ...[404, 'text/html; charset=utf-8'],
      ]);
      expect(answer.headers.get('vary'), path).toBe('Accept');
      expect(await answer.text(), path).toContain('<a href="/docs">Documentation</a>');
    }
    expect((await get('/nothing')).headers.get('vary')).toBe('Accept');
    const written = await get('/nothing', { method: 'POST', headers: { accept: 'text/html' } });
    expect(written.status).toBe(404);
  });

  it('answers JSON below the prefixes of the interface, whatever is accepted', async () => {
    for (const path of ['/v1', '/v1/nothing', '/v1?a=b', '/api/v1/data/nothing']) {
      const answer = await get(path, { headers: { accept: 'text/html, */*; q=.2' } });
      expect([answer.status, await answer.json()], path).toEqual([404, { detail: 'Not Found' }]);
    }
  });

  it('lists no folder', async () => {
    for (const path of ['/console/assets', '/console/assets/']) {
      expect(await (await get(path)).text(), path).toBe(PAGE);
    }
  });

  it('shows nothing outside of its folder and nothing hidden', async () => {
    const paths = [
      '../secret.txt',
      '%2e%2e/secret.txt',
      '..%2fsecret.txt',
      'assets/../../secret.txt',
      'assets/%2e%2e%2f%2e%2e%2fsecret.txt',
      '..\\secret.txt',
      '%5c..%5csecret.txt',
      'assets/..;/secret.txt',
      '.hidden.txt',
      '%00.txt',
      `/${join(folder, 'secret.txt')}`,
      '%252e%252e/secret.txt',
      '%c0%ae%c0%ae/secret.txt',
    ];
    for (const path of paths) {
      const answer = await getRaw(`/console/${path}`);
      expect(answer, path).toMatch(/^HTTP\/1\.1 404 /);
      expect(answer, path).not.toContain(SECRET);
    }
  });

  it('is for reading alone', async () => {
    for (const path of ['/', '/console', '/console/', '/console/config.json', SCRIPT_PATH]) {
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        const answer = await get(path, { method, ...(method === 'POST' ? { body: '<a/>' } : {}) });
        expect(answer.status, `${method} ${path}`).toBe(405);
        expect(answer.headers.get('allow')).toBe('GET, HEAD');
        expect(await answer.json()).toEqual({ detail: 'Method Not Allowed' });
        expectSecured(answer);
      }
      const head = await get(path, { method: 'HEAD' });
      expect(head.status, path).toBe(200);
      expect(await head.text()).toBe('');
    }
  });

  it('answers a client that holds a file, or asks for a part or a condition', async () => {
    const first = await get('/console/icon.svg');
    const etag = first.headers.get('etag') as string;
    // Not with fetch, which asks for an answer that is made anew.
    const held = await app.inject({
      url: '/console/icon.svg',
      headers: { 'if-none-match': etag },
    });
    expect([held.statusCode, held.body]).toEqual([304, '']);
    const part = await get('/console/icon.svg', { headers: { range: 'bytes=999-' } });
    expect(part.status).toBe(200);
    const other = await get('/console/icon.svg', { headers: { 'if-match': '"other"' } });
    expect([other.status, await other.json()]).toEqual([412, { detail: 'Precondition Failed' }]);
  });

  it('is secured in what is refused before anything is looked at, too', async () => {
    const long = await get(`/console/${'x'.repeat(service.services.config.urlBytesMax)}`);
    const detail = `The URL is longer than ${service.services.config.urlBytesMax} bytes`;
    expect([long.status, await long.json()]).toEqual([414, { detail }]);
    expectSecured(long);
    const marked = await getRaw('/console/keys#here');
    expect(marked).toMatch(/^HTTP\/1\.1 400 /);
    expect(marked).toContain(`\r\ncontent-security-policy: ${POLICY}\r\n`);
    expect(marked).toContain('\r\nx-content-type-options: nosniff\r\n');
  });

  it('needs no key and counts for nobody', async () => {
    const before = (await service.services.usage.counters.read(service.accountId)).month;
    await get('/console/', { headers: { 'x-api-key': service.key } });
    expect((await service.services.usage.counters.read(service.accountId)).month).toEqual(before);
  });
});

describe('the landing page and the reference of the interface', () => {
  it.each([
    ['/', LANDING],
    ['/datasets/US1020', LANDING],
    ['/reference', REFERENCE],
  ])('are pages of their own: %s', async (path, page) => {
    const answer = await get(path);
    expect([answer.status, await answer.text()]).toEqual([200, page]);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=0');
    expectSecured(answer);
  });
});

describe('the documentation', () => {
  it('is a page under each path that has one, asked about before it is used again', async () => {
    for (const path of [
      '/docs',
      '/docs/',
      '/docs/queries',
      '/docs/queries/',
      '/docs/rules/equities',
    ]) {
      const answer = await get(path);
      expect(answer.status, path).toBe(200);
      expect(await answer.text(), path).toBe(DOCUMENTATION);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.headers.get('cache-control')).toBe('public, max-age=0');
      expectSecured(answer);
      const held = {
        'if-none-match': answer.headers.get('etag') as string,
        'accept-encoding': `${answer.headers.get('content-encoding') ?? 'identity'}`,
      };
      const again = await app.inject({ url: path, headers: held });
      expect([again.statusCode, again.body]).toEqual([304, '']);
    }
  });

  it('was compressed beforehand', async () => {
    const answer = await app.inject({
      url: '/docs/queries',
      headers: { 'accept-encoding': 'br' },
    });
    expect(answer.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(answer.rawPayload).toString()).toBe(DOCUMENTATION);
  });

  it('is Markdown under the same path with that ending', async () => {
    const answer = await get('/docs/queries.md');
    expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(await answer.text()).toBe('# Asking for rows');
  });

  it('lists its pages for language models at the root, as plain text', async () => {
    const answer = await get('/llms.txt');
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await answer.text()).toBe('# Ticklake');
    expectSecured(answer);
  });

  it('shows nothing else, and is for reading alone', async () => {
    for (const path of ['/docs/nothing', '/docs/../index.html', '/docs/%2e%2e/secret.txt']) {
      const answer = await getRaw(path);
      expect(answer, path).toMatch(/^HTTP\/1\.1 404 /);
      expect(answer, path).not.toContain(SECRET);
    }
    const answer = await get('/docs/queries', { method: 'POST' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expectSecured(answer);
  });
});

describe('a console that has not been built', () => {
  it('says how to build it, and the interface works all the same', async () => {
    const bare = buildApp(service.services, join(folder, 'nowhere'));
    for (const url of ['/console', '/console/', '/console/keys', '/docs', '/reference', '/']) {
      const answer = await bare.inject(url);
      expect(answer.statusCode).toBe(404);
      expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
      expect(answer.body).toMatch(
        /^The console has not been built yet: npm start or npm run setup /,
      );
    }
    expect((await bare.inject('/console/assets/index.js')).statusCode).toBe(404);
    expect((await bare.inject('/console/config.json')).statusCode).toBe(200);
    expect((await bare.inject('/v1/status')).statusCode).toBe(200);
    await bare.close();
  });

  it('is shown as soon as it has been built', async () => {
    const later = join(folder, 'later');
    const early = buildApp(service.services, later);
    expect((await early.inject('/console/')).statusCode).toBe(404);
    cpSync(join(folder, 'dist'), `${later}.unfinished`, { recursive: true });
    renameSync(`${later}.unfinished`, later);
    expect((await early.inject('/console/')).body).toBe(PAGE);
    expect((await early.inject('/docs')).body).toBe(DOCUMENTATION);
    await early.close();
  });

  it('lists the pages for language models, and shows the Markdown of these alone', async () => {
    const bare = buildApp(service.services, join(folder, 'nowhere'));
    const list = await bare.inject('/llms.txt');
    const pages = [...list.body.matchAll(/^- \[(.*?)\]\((\S+)\)/gm)];
    expect(pages.map(([, , url]) => url)).toContain('/docs/index.md');
    for (const [, title, url = ''] of pages) {
      const [first] = (await bare.inject(url)).body.split('\n');
      expect(first, url).toBe(`# ${title}`);
    }
    const others = ['/docs/testing.md', '/docs/queries', '/console/v1/openapi-data.json'];
    for (const url of [...others, '/docs/nothing.md', '/docs/v1/mcp']) {
      expect((await bare.inject(url)).statusCode, url).toBe(404);
    }
    await bare.close();
  });
});
