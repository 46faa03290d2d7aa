/** The check of receipts in docs/receipts.md, run by Python as it stands there. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { docsText } from '../../../server/test/docs-table.ts';
import type { TestService } from '../../../server/test/harness.ts';
import { openSnippetService } from './snippet-data';

const PATH = '/v1/data/us-equity/eq-taq/2024-11-01/AAA';
const [, SCRIPT = ''] = /```python\n(.*?)```/s.exec(docsText('receipts.md')) ?? [];

const folder = mkdtempSync(join(tmpdir(), 'ticklake-receipt-'));
const inFolder = (name: string) => join(folder, name);

let service: TestService;
let receipt: string;
let body: Buffer;
beforeAll(async () => {
  service = await openSnippetService();
  const answer = await service.get(`${PATH}?receipt=true&response_format=csv_gzip`);
  receipt = String(answer.headers['x-receipt']);
  body = answer.rawPayload;
  writeFileSync(inFolder('check.py'), SCRIPT);
});
afterAll(async () => {
  await service?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Given {
  readonly receipt?: string;
  readonly body?: Buffer;
  readonly keys?: string;
}

async function check(given: Given = {}) {
  const keys = given.keys ?? (await service.app.inject('/v1/receipts/keys')).body;
  writeFileSync(inFolder('receipt'), `${given.receipt ?? receipt}\n`);
  writeFileSync(inFolder('body'), given.body ?? body);
  writeFileSync(inFolder('keys'), keys);
  const words = ['check.py', 'receipt', 'body', 'keys'];
  const python = inject('python') ?? '';
  return spawnSync(python, words, { cwd: folder, encoding: 'utf8' });
}

describe.skipIf(inject('python') === null)('the check in Python', () => {
  it('is as short as it is said to be', () => {
    expect(SCRIPT.trim().split('\n').filter(Boolean)).toHaveLength(9);
  });

  it('says what a right receipt says', async () => {
    const { status, stdout, stderr } = await check();
    expect([status, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ rows: 5, content_type: 'application/gzip' });
  });

  it('still does after the key was changed, and no longer once it is revoked', async () => {
    const { receiptKeys } = service.services;
    const before = (await service.app.inject('/v1/receipts/keys')).body;
    await receiptKeys.rotate({ revokesFormer: false });
    expect((await check()).status).toBe(0);
    await receiptKeys.rotate({ revokesFormer: true });
    expect((await check()).status).toBe(1);
    expect((await check({ keys: before })).status).toBe(0);
  });

  it('fails with another body, a changed statement, another signature and another key', async () => {
    const keys = (await service.app.inject('/v1/receipts/keys')).body;
    const again = await service.get(`${PATH}?receipt=true&response_format=csv_gzip`);
    const right = String(again.headers['x-receipt']);
    expect((await check({ receipt: right, keys })).status).toBe(0);
    const flipped = Buffer.from(body);
    flipped[20] = (flipped[20] as number) ^ 1;
    const [head, payload = '', signature = ''] = right.split('.');
    const claims = JSON.parse(String(Buffer.from(payload, 'base64url')));
    const forged = Buffer.from(JSON.stringify({ ...claims, rows: 6 })).toString('base64url');
    const turned = [...signature].reverse().join('');
    const [key] = JSON.parse(keys).keys;
    const otherKey = { ...key, x: [...key.x].reverse().join('') };
    for (const wrong of [
      { receipt: right, body: flipped },
      { receipt: `${head}.${forged}.${signature}` },
      { receipt: `${head}.${payload}.${turned}` },
      { receipt: right, keys: JSON.stringify({ keys: [otherKey] }) },
      { receipt: right, keys: '{"keys": []}' },
    ]) {
      expect((await check({ keys, ...wrong })).status).toBe(1);
    }
  });
});
