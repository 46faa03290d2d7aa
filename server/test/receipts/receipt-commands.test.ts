/** `ticklake receipt …` against a real server: success and each way to fail, in one plain line. */
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder, runCommand, runPiped } from '../command-line/run-command.ts';
import { DAILY_PATH, openContractService } from '../contract/fixture.ts';
import type { TestService } from '../harness.ts';

const folder = newFolder();
const inFolder = (name: string) => join(folder.path, name);

let service: TestService;
let origin: string;
let home: string;
beforeAll(async () => {
  service = await openContractService();
  origin = await service.app.listen({ port: 0, host: '127.0.0.1' });
  ({ home } = service.services.config);
});
afterAll(async () => {
  await service.close();
  folder.remove();
});

/** Saves an answer as `curl -D NAME.headers -o NAME.body` does; returns its receipt. */
async function save(name: string, path: string): Promise<string> {
  const answer = await fetch(`${origin}${path}`, { headers: { 'x-api-key': service.key } });
  expect(answer.status).toBe(200);
  const lines = [...answer.headers].map(([header, value]) => `${header}: ${value}`);
  writeFileSync(inFolder(`${name}.headers`), ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n'));
  writeFileSync(inFolder(`${name}.body`), Buffer.from(await answer.arrayBuffer()));
  return answer.headers.get('x-receipt') as string;
}

const verify = (name: string, ...more: string[]) =>
  runCommand(
    home,
    'receipt',
    'verify',
    inFolder(`${name}.headers`),
    inFolder(`${name}.body`),
    ...more,
  );

/** Exit code 2 and one line, which it returns. */
async function refusal(...words: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runCommand(home, ...words);
  expect([exitCode, stdout], stderr).toEqual([2, '']);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  return stderr;
}

describe('receipt verify', () => {
  it.each(['json', 'csv', 'csv_gzip', 'arrow', 'parquet'])(
    'says what a right receipt says: %s',
    async (format) => {
      await save(format, `${DAILY_PATH}?limit=3&response_format=${format}&receipt=true`);
      const { exitCode, stdout, stderr } = await verify(format);
      expect([exitCode, stderr]).toEqual([0, '']);
      expect(stdout).toContain(
        `The receipt is valid, and it matches ${inFolder(`${format}.body`)}`,
      );
      expect(stdout).toMatch(/^ {2}rows +3 from offset 0$/m);
      expect(stdout).toMatch(/^ {2}next page +offset 3$/m);
      expect(stdout).toMatch(
        new RegExp(`^ {2}request +/data/us-equity/.*response_format=${format}$`, 'm'),
      );
    },
  );

  it('takes a receipt alone, keys from an address or a file, and prints JSON', async () => {
    const receipt = await save('alone', `${DAILY_PATH}?receipt=true`);
    writeFileSync(inFolder('alone.jws'), `${receipt}\n`);
    const keys = await fetch(`${origin}/v1/receipts/keys`);
    writeFileSync(inFolder('keys.json'), await keys.text());
    for (const source of [`${origin}/api/v1/receipts/keys`, inFolder('keys.json')]) {
      const words = ['receipt', 'verify', inFolder('alone.jws'), inFolder('alone.body')];
      const elsewhere = inFolder('no-home');
      const { exitCode, stdout } = await runPiped(elsewhere, ...words, '--keys', source, '--json');
      expect(exitCode).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        is_verified: true,
        problems: [],
        key_id: expect.stringMatching(/^[\w-]{43}$/),
        receipt: { rows: 4, dataset_id: 'US1020' },
      });
      expect(existsSync(elsewhere)).toBe(false);
    }
  });

  it('refuses any changed byte of the body', async () => {
    await save('changed', `${DAILY_PATH}?receipt=true`);
    const body = readFileSync(inFolder('changed.body'));
    for (const at of [0, body.length >> 1, body.length - 1]) {
      const changed = Buffer.from(body);
      changed[at] = (changed[at] as number) ^ 1;
      writeFileSync(inFolder('changed.body'), changed);
      const { exitCode, stdout, stderr } = await verify('changed');
      expect([exitCode, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(
        /^The receipt does not verify: the body does not match: it has \d+ bytes/,
      );
    }
    const { exitCode, stdout } = await verify('changed', '--json');
    expect([exitCode, JSON.parse(stdout).is_verified]).toEqual([2, false]);
  });

  it('refuses a changed receipt', async () => {
    const receipt = await save('forged', `${DAILY_PATH}?receipt=true`);
    const [head, payload = '', signature] = receipt.split('.');
    const claims = JSON.parse(String(Buffer.from(payload, 'base64url')));
    const forged = Buffer.from(JSON.stringify({ ...claims, rows: 5 })).toString('base64url');
    writeFileSync(inFolder('forged.headers'), `X-Receipt: ${head}.${forged}.${signature}\n`);
    const { exitCode, stderr } = await verify('forged');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(
      /^The receipt does not verify: its signature is not by the key [\w-]{43}: /,
    );
  });

  it('refuses what it cannot read, by name', async () => {
    await save('other', `${DAILY_PATH}?receipt=true`);
    const [receipt, body] = [inFolder('other.headers'), inFolder('other.body')];
    const twice = readFileSync(receipt, 'utf8').replace(/^(x-receipt: )(.*)$/m, '$1$2\n$1a.b.c');
    writeFileSync(inFolder('twice'), twice);
    const words = ['receipt', 'verify'];
    expect(await refusal(...words)).toContain('takes <receipt> <body>, but was given ');
    expect(await refusal(...words, receipt)).toContain('takes <receipt> <body>, but was given ');
    expect(await refusal(...words, receipt, body, body)).toContain(
      'takes <receipt> <body>, but was given ',
    );
    expect(await refusal(...words, inFolder('none'), body)).toContain('does not exist');
    expect(await refusal(...words, receipt, folder.path)).toContain('it is a folder');
    expect(await refusal(...words, body, receipt)).toContain('holds no receipt');
    expect(await refusal(...words, inFolder('twice'), body)).toContain('holds 2 receipts');
    const keyed = [...words, receipt, body, '--keys'];
    expect(await refusal(...keyed, body)).toContain('should be a JSON Web Key Set');
    expect(await refusal(...keyed, inFolder('none'))).toContain('does not exist');
    expect(await refusal(...keyed, 'http://')).toContain('is not a valid address');
    expect(await refusal(...keyed, `${origin}/v1/nothing`)).toContain('answers with status 404');
  });

  it('says which key is not known', async () => {
    await save('unknown', `${DAILY_PATH}?receipt=true`);
    writeFileSync(inFolder('empty.json'), '{"keys": []}');
    const { exitCode, stderr } = await verify('unknown', '--keys', inFolder('empty.json'));
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/the key [\w-]{43} that signed it is not among those of .*empty.json/);
  });

  describe('with keys from a broken server', () => {
    let broken: Server;
    let address: string;
    beforeAll(async () => {
      broken = createServer((request, response) => {
        if (request.url === '/large') response.end(Buffer.alloc(1_100_000, 'x'));
        else response.destroy();
      }).listen(0, '127.0.0.1');
      await once(broken, 'listening');
      address = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
      await save('broken', `${DAILY_PATH}?receipt=true`);
    });
    afterAll(() => void broken.close());

    it('fails in one line, which is no verdict', async () => {
      const { exitCode, stderr } = await verify('broken', '--keys', `${address}/`);
      expect(exitCode).toBe(1);
      expect(stderr).toContain('cannot be fetched');
      const large = await verify('broken', '--keys', `${address}/large`);
      expect([large.exitCode, large.stderr]).toEqual([2, expect.stringContaining('more than')]);
    });
  });
});

describe('receipt rotate-key', () => {
  it('changes the key of the running server, and keeps earlier receipts right', async () => {
    await save('before', `${DAILY_PATH}?receipt=true`);
    const rotated = await runCommand(home, 'receipt', 'rotate-key', '--json');
    const { key_id: kid, published_count: count } = JSON.parse(rotated.stdout);
    expect([rotated.exitCode, count]).toEqual([0, 2]);
    const receipt = await save('after', `${DAILY_PATH}?receipt=true`);
    const header = String(Buffer.from(receipt.split('.')[0] as string, 'base64url'));
    expect(JSON.parse(header)).toEqual({ alg: 'EdDSA', typ: 'ticklake-receipt+jwt', kid });
    expect([(await verify('before')).exitCode, (await verify('after')).exitCode]).toEqual([0, 0]);
    const audit = await runCommand(home, 'audit', '--json');
    expect(JSON.parse(audit.stdout).data.at(0)).toMatchObject({
      operation: 'rotateReceiptKey',
      target: 'receipts',
      after: { key_id: kid, published_count: 2, revokes_former: false },
    });
  });

  it('has earlier receipts refused if it is told to', async () => {
    await save('stolen', `${DAILY_PATH}?receipt=true`);
    const { exitCode, stdout } = await runCommand(home, 'receipt', 'rotate-key', '--revoke-former');
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('can no longer be verified')]);
    expect((await verify('stolen')).stderr).toContain('is not among those of the home');
  });

  it('makes nothing in a folder that is no home', async () => {
    const elsewhere = inFolder('elsewhere');
    const { exitCode, stderr } = await runCommand(elsewhere, 'receipt', 'rotate-key');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('there is no home')]);
    expect(existsSync(elsewhere)).toBe(false);
    expect(await refusal('receipt', 'rotate-key', 'now')).toContain('takes no arguments');
  });
});
