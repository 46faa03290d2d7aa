import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { readUrl } from '../../src/ingest/source-url.ts';
import { Spool } from '../../src/ingest/spool.ts';
import {
  leftovers,
  newFolder,
  publishedRows,
  runCommand,
  runWithStdin,
} from '../command-line/run-command.ts';
import { zipBytes } from '../import-lean/zip-file.ts';

const folder = newFolder();
afterAll(() => folder.remove());

const EQ_TAQ = 'US1032';
const HEADER = 'Price,TradeDate,Ticker,EventDateTime';
const rowOf = (price: number) => `${price},2024-03-11,AAPL,2024-03-11T09:30:0${price}`;
const textOf = (...prices: number[]) => `${[HEADER, ...prices.map(rowOf)].join('\n')}\n`;

let homeCount = 0;
const newHome = () => join(folder.path, `home-${homeCount++}`);
const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

function write(name: string, content: string | Buffer): string {
  const path = join(folder.path, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content);
  return path;
}

const pricesIn = async (home: string) => (await publishedRows(home, EQ_TAQ, ['Price'])).flat();

test.each([
  ['plain text', (text: string) => Buffer.from(text)],
  ['gzip', (text: string) => gzipSync(text)],
  ['zstd', (text: string) => zstdCompressSync(text)],
])('standard input brings %s, in chunks of any size', async (_name, pack) => {
  const home = newHome();
  const bytes = pack(textOf(1, 2));
  const chunks = Array.from({ length: bytes.length }, (_, i) => bytes.subarray(i, i + 1));
  const output = await runWithStdin(home, chunks, 'ingest', 'eq_taq', '-', '--json');
  expect(JSON.parse(output.stdout)).toMatchObject({
    is_published: true,
    files: ['standard input'],
    sources: [{ name: 'standard input', byte_count: bytes.length, sha256: sha256(bytes) }],
  });
  expect(await pricesIn(home)).toEqual(['1.0', '2.0']);
});

test.each([
  ['nothing', [], [], /^ticklake: standard input: it is empty\n$/],
  ['damaged Parquet', ['PAR1 and so on, and on'], [], /standard input.*Parquet/],
  [
    'a damaged zip file',
    [zipBytes({ 'a.csv': textOf(1) }).subarray(0, 60)],
    [],
    /standard input: the zip file is damaged/,
  ],
  [
    'a bad value',
    [`${textOf(1)}x${rowOf(2)}\n`],
    [],
    /standard input:3: Price "x2" is not a decimal/,
  ],
  [
    'text that is packed twice',
    [gzipSync(gzipSync(textOf(1)))],
    [],
    /gzip inside a compressed file: unpack that, and load what is in it/,
  ],
  [
    'an Excel workbook',
    [zipBytes({ '[Content_Types].xml': '<Types/>' })],
    [],
    /standard input: a workbook \(save it as CSV\); only CSV/,
  ],
  [
    'lines that end with CR alone',
    [textOf(1, 2).replaceAll('\n', '\r')],
    [],
    /standard input: text whose lines end with CR alone \(save it with LF or CRLF as line ends\)/,
  ],
  [
    'a packed tar archive',
    [gzipSync(`${'x.csv'.padEnd(257, '\0')}ustar\x0000${'\0'.repeat(248)}`)],
    [],
    /a tar archive \(unpack it first\) inside a compressed file: unpack that/,
  ],
  [
    'zstd that is cut off',
    [zstdCompressSync(textOf(1)).subarray(0, -3)],
    [],
    /zstd data is damaged/,
  ],
  ['zstd with more behind it', [zstdCompressSync(textOf(1)), 'more'], [], /zstd data is damaged/],
  ['gzip with more behind it', [gzipSync(textOf(1)), 'more'], [], /gzip data is damaged/],
  ['what is wanted twice', [textOf(1)], ['-'], /standard input \(-\) is given twice/],
])('standard input with %s publishes nothing', async (_name, chunks, more, message) => {
  const home = newHome();
  const output = await runWithStdin(home, chunks, 'ingest', 'eq_taq', '-', ...more);
  expect(output.stderr).toMatch(message);
  expect([output.exitCode, await pricesIn(home), leftovers(home)]).toEqual([2, [], []]);
});

test('zip and Parquet come by standard input and from addresses, with nothing left on disk', async () => {
  const home = newHome();
  const zip = zipBytes({ 'a.csv': textOf(1), 'b.csv': textOf(2) });
  const chunks = [zip.subarray(0, 5), zip.subarray(5)];
  const output = await runWithStdin(home, chunks, 'ingest', 'eq_taq', '-', '--json');
  expect(JSON.parse(output.stdout)).toMatchObject({
    row_count: 2,
    sources: [{ name: 'standard input', byte_count: zip.length, sha256: sha256(zip) }],
  });
  const lake = join(home, 'lake');
  const [part = ''] = readdirSync(lake, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.parquet'),
  );
  const parquet = readFileSync(join(lake, part));
  const url = await serve((_request, answer) => void answer.end(parquet));
  const copy = newHome();
  const report = await runCommand(copy, 'ingest', 'eq_taq', `${url}/part`, '--json');
  expect(JSON.parse(report.stdout)).toMatchObject({
    row_count: 2,
    sources: [
      {
        name: `${url.replace('user:secret@', '')}/part`,
        byte_count: parquet.length,
        sha256: sha256(parquet),
      },
    ],
  });
  expect(await pricesIn(copy)).toEqual(['1.0', '2.0']);
  for (const each of [home, copy]) expect(readdirSync(join(each, 'spool'))).toEqual([]);
});

test('a stream that is more than may be kept is refused, and what killed loads left is removed', async () => {
  const place = { folder: join(folder.path, 'spool'), bytesMax: 10 };
  mkdirSync(join(place.folder, 'load-999999999-1-x'), { recursive: true });
  const spool = new Spool(place);
  const { signal } = new AbortController();
  const chunksOf = async function* (byteCount: number) {
    yield Buffer.alloc(byteCount);
  };
  expect(readFileSync(await spool.keep(chunksOf(6), signal))).toHaveLength(6);
  await expect(spool.keep(chunksOf(6), signal)).rejects.toThrow('it takes more than 10 bytes');
  expect(readdirSync(place.folder)).toHaveLength(1);
  spool.close();
  expect(readdirSync(place.folder)).toEqual([]);
  // However far the file of a refused stream has come when all are removed.
  const refusals: string[] = [];
  for (let trial = 0; trial < 500; trial++) {
    await spool.keep(chunksOf(11), signal).catch(({ message }) => refusals.push(message));
    spool.close();
  }
  expect(refusals).toHaveLength(500);
  expect(readdirSync(place.folder)).toEqual([]);
});

test('a pattern stands for what it matches, by name, also below folders that it matches', async () => {
  const home = newHome();
  write('days/b.csv', textOf(2));
  write('days/a.csv.zst', zstdCompressSync(textOf(1)));
  write('days/c/d.csv', textOf(3));
  write('days/.hidden.csv', 'x');
  write('other.csv', 'x');
  const pattern = join(folder.path, 'days/*');
  const { stdout } = await runCommand(home, 'ingest', 'eq_taq', pattern, '--json');
  const { files, sources } = JSON.parse(stdout);
  expect(files).toEqual([pattern]);
  expect(sources).toEqual(
    ['a.csv.zst', 'b.csv', 'c/d.csv'].map((name, i) => {
      const text = textOf(i + 1);
      const bytes = name.endsWith('.zst') ? zstdCompressSync(text) : Buffer.from(text);
      const path = join(folder.path, 'days', name);
      return { name: path, byte_count: bytes.length, sha256: sha256(bytes) };
    }),
  );
  expect(await pricesIn(home)).toEqual(['1.0', '2.0', '3.0']);
});

test('a pattern that matches nothing is refused, and a file whose name looks like one is read', async () => {
  const home = newHome();
  const pattern = join(folder.path, 'nights/*.csv');
  const refused = await runCommand(home, 'ingest', 'eq_taq', pattern);
  expect(refused.stderr).toBe(`ticklake: no file that can hold rows matches ${pattern}\n`);
  expect(refused.exitCode).toBe(2);
  const named = write('[1].csv', textOf(4));
  expect((await runCommand(home, 'ingest', 'eq_taq', named)).exitCode).toBe(0);
  expect(await pricesIn(home)).toEqual(['4.0']);
});

const LEFT_OUT = 'left out: empty, or notes by the name';
const nothing = { 'zzz.csv': '', 'manifest.json': '{}' };

test('members of a zip file that cannot hold rows are left out, and named', async () => {
  const path = write('batch.zip', zipBytes({ ...nothing, 'a.csv': textOf(1) }));
  const home = newHome();
  const report = await runCommand(home, 'ingest', 'eq_taq', path);
  expect(report.stdout).toContain(
    `warning: each file holds rows; found ${path}/zzz.csv, ${path}/manifest.json, ${LEFT_OUT}\n`,
  );
  expect([report.exitCode, await pricesIn(home)]).toEqual([0, ['1.0']]);
  expect(JSON.parse((await runCommand(home, 'alerts', '--json')).stdout).alerts).toEqual([]);
  const streamed = await runWithStdin(newHome(), [readFileSync(path)], 'ingest', 'eq_taq', '-');
  expect(streamed.stdout).toContain(`found standard input/zzz.csv, standard input/manifest.json`);
  const none = await runCommand(home, 'ingest', 'eq_taq', write('none.zip', zipBytes(nothing)));
  expect(none.stderr).toMatch(/none.zip is a zip file with no files in it that can hold rows\n$/);
});

test('files of a folder or pattern that cannot hold rows are left out, but none by its name', async () => {
  for (const [name, text] of Object.entries({ ...nothing, 'a.csv': textOf(1) }))
    write(`batch/${name}`, text);
  const [batch, empty] = [join(folder.path, 'batch'), join(folder.path, 'batch/zzz.csv')];
  for (const [given, found] of [
    [batch, empty],
    [`${batch}/*`, `${batch}/manifest.json, ${empty}`],
  ] as const) {
    const home = newHome();
    const report = await runCommand(home, 'ingest', 'eq_taq', given);
    expect(report.stdout).toContain(`found ${found}, ${LEFT_OUT}\n`);
    expect([report.exitCode, await pricesIn(home)]).toEqual([0, ['1.0']]);
  }
  const refusal = async (...given: string[]) =>
    (await runCommand(newHome(), 'ingest', 'eq_taq', ...given)).stderr;
  expect(await refusal(batch, empty)).toBe(`ticklake: ${empty} is empty\n`);
  expect(await refusal(`${batch}/*.json`)).toMatch('no file that can hold rows matches');
  write('nil/a.csv', '');
  expect(await refusal(join(folder.path, 'nil'))).toMatch('nil contains no files that end in .csv');
  // Others are read, or refused, as ever.
  write('batch/head.csv', `${HEADER}\n`);
  expect(await refusal(batch)).toBe('');
  write('batch/b.csv.gz', gzipSync(textOf(2)).subarray(0, -12));
  expect(await refusal(batch)).toMatch(/b.csv.gz: the gzip data is damaged/);
});

test('a zip file counts as one source, with the digest of the file', async () => {
  const bytes = zipBytes({ 'a.csv': textOf(1), 'b.csv': textOf(2) });
  const path = write('both.zip', bytes);
  const { stdout } = await runCommand(newHome(), 'ingest', 'eq_taq', path, '--json');
  expect(JSON.parse(stdout).sources).toEqual([
    { name: path, byte_count: bytes.length, sha256: sha256(bytes) },
  ]);
});

/** Serves on a port of its own until the test ends; returns `http://user:secret@host:port`. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.on('listening', resolve));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://user:secret@127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('an address is read, with its credentials, which nothing shows', async () => {
  const home = newHome();
  const bytes = gzipSync(textOf(1, 2));
  const asked: (string | undefined)[] = [];
  const base = await serve(({ url, headers }, response) => {
    asked.push(url, headers.authorization);
    if (url === '/old?token=hidden') response.writeHead(302, { location: '/new' }).end();
    else response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes);
  });
  const words = ['ingest', 'eq_taq', `${base}/old?token=hidden`, '--json'];
  const { stdout } = await runCommand(home, ...words);
  const shown = `${base.replace('user:secret@', '')}/old`;
  expect(JSON.parse(stdout)).toMatchObject({
    files: [shown],
    sources: [{ name: shown, byte_count: bytes.length, sha256: sha256(bytes) }],
  });
  const basic = `Basic ${Buffer.from('user:secret').toString('base64')}`;
  expect(asked).toEqual(['/old?token=hidden', basic, '/new', basic]);
  expect(await pricesIn(home)).toEqual(['1.0', '2.0']);
  const audit = await runCommand(home, 'audit', '--json');
  expect(audit.stdout).toContain(shown);
  expect(stdout + audit.stdout).not.toMatch(/secret|hidden/);
});

const ANSWERS: Record<string, (response: ServerResponse) => void> = {
  '/missing': (response) => response.writeHead(404).end('no'),
  '/locked': (response) => response.writeHead(403).end('no'),
  '/busy': (response) => response.writeHead(503).end('no'),
  '/page': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(textOf(1)),
  '/loop': (response) => response.writeHead(302, { location: '/loop?secret' }).end(),
  '/file': (response) => response.writeHead(302, { location: 'file:///etc/hosts' }).end(),
  '/lost': (response) => response.writeHead(302).end(),
  '/cut': (response) => {
    response.writeHead(200, { 'content-length': 1000 });
    response.write(textOf(1), () => response.destroy());
  },
  '/bad': (response) => response.writeHead(200).end(`${textOf(1)}x${rowOf(2)}\n`),
};

test.each([
  ['/missing', 2, 'the server answers 404 Not Found instead of a file; check the address'],
  ['/locked', 2, 'the server answers 403 Forbidden: this address needs other credentials'],
  ['/busy', 1, 'the server answers 503 Service Unavailable; try again later'],
  ['/page', 2, 'the server answers with text/html, which is not a data file'],
  ['/loop', 2, 'the server redirects more than 5 times'],
  ['/file', 2, 'the server redirects to file:, which is neither http nor https'],
  ['/lost', 2, 'the server answers with status 302, but does not say where to'],
  ['/cut', 1, /^the server cannot be reached, or its answer broke off \(\w+\); try again$/],
])('the address %s ends with exit code %i and says why', async (path, exitCode, said) => {
  const home = newHome();
  const base = await serve(({ url }, response) => ANSWERS[`${url?.split('?')[0]}`]?.(response));
  const output = await runCommand(home, 'ingest', 'eq_taq', `${base}${path}?secret=1`);
  const name = `ticklake: ${base.replace('user:secret@', '')}${path}: `;
  expect(output.stderr.slice(0, name.length)).toBe(name);
  expect(output.stderr.slice(name.length, -1)).toEqual(
    typeof said === 'string' ? said : expect.stringMatching(said),
  );
  expect(output.stderr).not.toContain('secret');
  expect([output.exitCode, await pricesIn(home), leftovers(home)]).toEqual([exitCode, [], []]);
});

test('a bad value at an address is named with the address and its line', async () => {
  const base = await serve((_request, response) => ANSWERS['/bad']?.(response));
  const output = await runCommand(newHome(), 'ingest', 'eq_taq', `${base}/x.csv?key=secret`);
  const name = `${base.replace('user:secret@', '')}/x.csv`;
  expect(output.stderr).toContain(`  ${name}:3: Price "x2" is not a decimal number`);
});

test('credentials do not follow to another server, and its silence has an end', async () => {
  const asked: (string | undefined)[] = [];
  const other = await serve(({ headers }, response) => {
    asked.push(headers.authorization);
    response.writeHead(200);
    response.write('x');
  });
  const first = await serve((_request, response) => {
    response.writeHead(307, { location: other.replace('user:secret@', '') }).end();
  });
  const { signal } = new AbortController();
  const reading = Array.fromAsync(readUrl(`${first}/`, { signal, silenceMsMax: 200 }));
  await expect(reading).rejects.toThrow(
    /: the server has sent nothing for 0.2 seconds; try again$/,
  );
  expect(asked).toEqual([undefined]);
});

test('an invalid address is refused without showing its credentials', async () => {
  const output = await runCommand(newHome(), 'ingest', 'eq_taq', 'http://user:secret@:99999/x?key');
  expect([output.exitCode, output.stderr]).toEqual([
    2,
    'ticklake: http://:99999/x is not a valid address\n',
  ]);
});
