/** Reads by the installed package whatever runtime this is, and prints what it found as JSON. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Ticklake } from '@ticklake/client';

const { URL: url, KEY: key, FOLDER: folder } = process.env;
const client = new Ticklake({ url, key, firstWaitMs: 1, maxRetries: 100, timeoutMs: 1000 });
const halts = (options) => client.dataset('eq_trading_halts').read(options);

async function digestOf(bytes) {
  const hash = createHash('sha256');
  for await (const chunk of bytes) hash.update(chunk);
  return hash.digest('hex');
}

async function errorOf(work) {
  try {
    await work();
    return null;
  } catch ({ name, status }) {
    return { name, status };
  }
}

const rows = [];
for await (const row of halts({ pageRows: 150 })) rows.push(row);

const downloaded = [];
for (const format of ['parquet', 'csv_gzip', 'arrow']) {
  const { files } = await halts().files({ format });
  for (const file of files) {
    const path = `${folder}/${file.name}`;
    await file.download(path);
    const digest = createHash('sha256').update(readFileSync(path)).digest('hex');
    const isSame = digest === file.sha256 && (await digestOf(file.stream())) === file.sha256;
    downloaded.push([format, isSame]);
  }
}

const stopping = new AbortController();
const stopped = halts({ pageRows: 10, signal: stopping.signal });

const found = {
  rows,
  arrow: await digestOf(halts().arrow()),
  downloaded,
  refused: await errorOf(() => new Ticklake({ url, key: 'wrong' }).datasets()),
  unknown: await errorOf(() => client.dataset('no_such').read().toArray({ limit: 1 })),
  aborted: await errorOf(async () => {
    for await (const _ of stopped) stopping.abort();
  }),
};
process.stdout.write(
  JSON.stringify(found, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)),
);
