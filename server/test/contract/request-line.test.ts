/** Bytes on a socket before they are a request: one form of errors, one view of the target. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchangeBytes } from '../exchange-bytes.ts';
import type { TestService } from '../harness.ts';
import { openContractService, TICK_PATH } from './fixture.ts';

let service: TestService;
beforeAll(async () => {
  service = await openContractService();
});
afterAll(() => service.close());

interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Every answer, whoever gave it, has both ids. */
async function exchange(bytes: string): Promise<RawAnswer> {
  const text = await exchangeBytes(service, bytes);
  const [head = '', body = ''] = text.split('\r\n\r\n');
  expect(head).toMatch(/\r\nx-request-id: [0-9a-f-]{36}/i);
  expect(head).toMatch(/\r\nx-amzn-requestid: [0-9a-f-]{36}/i);
  return { status: Number(head.split(' ')[1]), head, body };
}

/** The answer to a GET of the target as it stands, over HTTP/1.1. */
const ask = (target: string, headers: readonly string[] = ['host: h.example']) =>
  exchange(
    [
      `GET ${target} HTTP/1.1`,
      `x-api-key: ${service.key}`,
      'connection: close',
      ...headers,
      '',
      '',
    ].join('\r\n'),
  );

const detailOf = ({ body }: RawAnswer) => JSON.parse(body).detail;
const rowsOf = ({ body }: RawAnswer) => JSON.parse(body).data;

describe('bytes that are not a request', () => {
  it('get a 400 in the common envelope', async () => {
    const answer = await exchange('NONSENSE\r\n\r\n');
    expect(answer.status).toBe(400);
    expect(detailOf(answer)).toBe('The request is not valid HTTP');
  });

  it('get a 431 when the headers do not end', async () => {
    const answer = await ask('/v1/status', ['host: x', `x-long: ${'a'.repeat(200_000)}`]);
    expect(answer.status).toBe(431);
    expect(detailOf(answer)).toBe('The request headers are too long');
  });

  it('get a 400 without a Host header, which only HTTP/1.0 may leave out', async () => {
    const answer = await ask('/v1/status', []);
    expect(answer.status).toBe(400);
    expect(detailOf(answer)).toBe('The request should have a Host header');
    const old = await exchange('GET /v1/status HTTP/1.0\r\n\r\n');
    expect(old.status).toBe(200);
  });

  it('get a 400 with two Host headers, which may be read in two ways', async () => {
    const answer = await ask('/v1/status', ['host: a.example', 'Host: b.example']);
    expect(answer.status).toBe(400);
    expect(detailOf(answer)).toBe('The request should have one Host header');
  });

  it('get a 405 when they ask for a tunnel', async () => {
    for (const target of ['/v1/status', 'h.example:443']) {
      const answer = await exchange(`CONNECT ${target} HTTP/1.1\r\nhost: h.example\r\n\r\n`);
      expect(answer.status).toBe(405);
      expect(answer.head).toMatch(/\r\nallow: GET\r\n/);
      expect(detailOf(answer)).toBe('Method Not Allowed');
    }
  });

  it('are answered as if they expected nothing, whatever they expect', async () => {
    const answer = await ask('/v1/status', ['host: h.example', 'expect: foo']);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body).status).toBe('ok');
  });
});

describe('the target of a request', () => {
  it('may name the host, also before the path of data', async () => {
    for (const path of ['/v1/status', TICK_PATH]) {
      const plain = await ask(path);
      expect(plain.status).toBe(200);
      for (const start of ['http://h.example', 'HTTPS://h.example:8080']) {
        expect(await ask(`${start}${path}`)).toMatchObject({ status: 200, body: plain.body });
      }
    }
    for (const target of ['http://h.example', 'http://h.example?v1/status']) {
      const { status, body } = await ask(target);
      const root = await ask('/');
      expect([status, body]).toEqual([root.status, root.body]);
      // The root says so if the console has not been built.
      expect(body).toMatch(/<title>Market data|The console has not been built/);
    }
    expect((await ask('*')).status).toBe(404);
  });

  it('names the host in links before the header does', async () => {
    const answer = await ask(`http://other.example${TICK_PATH}?limit=1`);
    expect(answer.head).toContain(
      `<http://other.example${TICK_PATH}?limit=1&dataset_version=1&offset=1>`,
    );
  });

  it('may encode what needs no encoding, in every part of the path', async () => {
    const plain = await ask(TICK_PATH);
    for (const target of [
      '/%76%31/data/us-equity/eq-taq/2025-06-18/AAA',
      '/a%70%69/v1/data/us-equity/eq-taq/2025-06-18/AAA',
      '/v1/d%61ta/us%2Dequity/eq%2dtaq/2025%2D06-1%38/%41A%41',
    ]) {
      expect(await ask(target), target).toMatchObject({ status: 200, body: plain.body });
    }
    expect((await ask('/v1%2Fstatus')).status).toBe(404);
    expect(rowsOf(await ask('/v1/data/us-equity/eq-taq/2025-06-18/%2541AA'))).toEqual([]);
  });

  it('is refused with a fragment, which is never taken for a part of a value', async () => {
    for (const target of [`${TICK_PATH}#x`, '/v1/status#', `${TICK_PATH}?limit=1#x`]) {
      const answer = await ask(target);
      expect(answer.status, target).toBe(400);
      expect(detailOf(answer)).toBe("A '#' in the URL should be written as %23");
    }
    expect(rowsOf(await ask(`${TICK_PATH}%23x`))).toEqual([]);
  });

  it.each(['%zz', '%', '%ff', 'A%', '%%34%31'])(
    'is told what is wrong with the encoding of the identifier %s',
    async (identifier) => {
      const answer = await ask(TICK_PATH.replace('AAA', identifier));
      expect(answer.status).toBe(422);
      expect(detailOf(answer)).toMatchObject([
        { type: 'percent_encoding', loc: ['path', 'identifier'], input: identifier },
      ]);
    },
  );

  it('is a 404 without a key when its encoding is broken where no path is', async () => {
    for (const target of ['/%zz', '/v1/%ff', '/%76%31/%', '/v1/d%61ta/%zz']) {
      const answer = await ask(target, ['host: h.example', 'x-api-key: wrong']);
      expect(answer.status, target).toBe(404);
    }
    const answer = await exchange(
      `GET ${TICK_PATH}%zz HTTP/1.1\r\nhost: h.example\r\nconnection: close\r\n\r\n`,
    );
    expect(answer.status).toBe(401);
  });
});

describe('the link to the next page', () => {
  const linkOf = async (query: string, host = 'h.example') => {
    const answer = await ask(`${TICK_PATH}?limit=1${query}`, [`host: ${host}`]);
    expect(answer.status, answer.body).toBe(200);
    return /\r\nlink: ([^\r]*)/i.exec(answer.head)?.[1];
  };

  it.each(['h.example', 'ticklake_api:8080', '127.0.0.1:80', '[::1]:8080'])(
    'names the host %s',
    async (host) => {
      expect(await linkOf('', host)).toBe(
        `<http://${host}${TICK_PATH}?limit=1&dataset_version=1&offset=1>; rel="next"`,
      );
    },
  );

  it.each(['a b', 'h>; rel="x"', 'h.example/path', 'user@h.example'])(
    'is relative when the host is %s',
    async (host) => {
      expect(await linkOf('', host)).toBe(
        `<${TICK_PATH}?limit=1&dataset_version=1&offset=1>; rel="next"`,
      );
    },
  );

  it('is the only one, whatever the query holds', async () => {
    const forged = '&Exchange.in=EDGX,NASDAQ,a>;rel=%22prev%22,<http://evil.example/>;rel="next"';
    const link = await linkOf(forged);
    expect(link?.match(/[<>]/g)).toEqual(['<', '>']);
    expect(link?.match(/"/g)).toHaveLength(2);
    const [, target = ''] = /^<([^>]*)>/.exec(link ?? '') ?? [];
    const next = await ask(target.replace('http://h.example', ''));
    expect(next.status).toBe(200);
    expect(JSON.parse(next.body).pagination.offset).toBe(1);
    expect(await linkOf('&Exchange.like=*^`{|}\\*')).toBeUndefined();
    expect(await linkOf('&Exchange.in=EDGX,NASDAQ,^`{|}\\')).toContain(
      'EDGX,NASDAQ,%5E%60%7B%7C%7D%5C',
    );
  });
});
