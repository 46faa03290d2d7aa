/** Whole files by curl: the server, and nginx told by the server, beside nginx alone. */
import { spawnSync } from 'node:child_process';
import { dirname, relative } from 'node:path';
import type { DataSet, TickPage } from '../../data/data-set.ts';
import type { Bench, Finding } from '../../finding.ts';
import { atMost, median, race, type Turns } from '../../measure.ts';
import { type Service, startService } from '../../service.ts';
import { type Peer, serveWithNginx } from './peers.ts';

/** A turn takes some hundredths of a second. */
const WARM_UPS = 20;
/** First bytes asked for beforehand, for each warm-up: the server has run for a while then. */
const FIRST_BYTES = 30;
const RUNS_MIN = { full: 20, small: 1 } as const;

/** One file over a new connection. */
interface Fetched {
  readonly bytesPerSecond: number;
  /** From the start of the connection. */
  readonly firstByteMs: number;
}

function fetchFile(url: string): Fetched {
  const told = '%{speed_download} %{time_starttransfer}';
  const words = ['--silent', '--show-error', '--fail', '-o', '/dev/null', '-w', told, url];
  const { status, stdout, stderr } = spawnSync('curl', words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`curl: ${stderr}`);
  const [bytesPerSecond = Number.NaN, seconds = Number.NaN] = stdout.split(' ').map(Number);
  return { bytesPerSecond, firstByteMs: seconds * 1000 };
}

function medianOf(fetched: readonly Fetched[]): Fetched {
  return {
    bytesPerSecond: median(fetched.map(({ bytesPerSecond }) => bytesPerSecond)),
    firstByteMs: median(fetched.map(({ firstByteMs }) => firstByteMs)),
  };
}

interface Manifest {
  readonly files: readonly { readonly url: string; readonly byte_count: number }[];
}

async function wholeDay({ url, key }: Service, { date }: TickPage): Promise<string> {
  const answer = await fetch(`${url}/bulk/us-equity/eq-taq?TradeDate=${date}`, {
    headers: { 'X-API-KEY': key },
  });
  const { files } = (await answer.json()) as Manifest;
  const [file] = files;
  if (!file) throw new Error('a day without files');
  return file.url;
}

async function askFirstBytes(url: string, { warmUps }: Turns): Promise<void> {
  for (let n = 0; n < FIRST_BYTES * warmUps; n += 1) {
    const answer = await fetch(url, { headers: { Range: 'bytes=0-0' } });
    await answer.arrayBuffer();
  }
}

/** Tools of each comparison. */
interface Turning {
  readonly turns: Turns;
  /** One day, the file of which is fetched. */
  readonly page: TickPage;
}

async function throughput(
  { turns, page }: Turning,
  own: { readonly name: string; readonly url: string; readonly target: number },
  nginx: Peer,
  root: string,
): Promise<Finding> {
  const file = `${nginx.url}/${relative(root, page.file)}`;
  const fetched = { own: [] as Fetched[], nginx: [] as Fetched[] };
  const fetcher = (side: keyof typeof fetched, url: string) => async (turn: number) => {
    const one = fetchFile(url);
    if (turn >= turns.warmUps) fetched[side].push(one);
  };
  await race(turns, { own: fetcher('own', own.url), nginx: fetcher('nginx', file) });
  const [mine, others] = [medianOf(fetched.own), medianOf(fetched.nginx)];
  const shown = ({ bytesPerSecond, firstByteMs }: Fetched) =>
    `${(bytesPerSecond / 1e6).toFixed(0)} MB/s, first byte ${firstByteMs.toFixed(1)} ms`;
  return {
    work: `a day's file, one connection: ${own.name}`,
    measured: shown(mine),
    compared: `nginx ${shown(others)}`,
    figure: mine.bytesPerSecond / others.bytesPerSecond,
    unit: '',
    target: { is: 'at least', value: own.target },
    details: {
      ...{ ownBytesPerSecond: mine.bytesPerSecond, ownFirstByteMs: mine.firstByteMs },
      ...{ nginxBytesPerSecond: others.bytesPerSecond, nginxFirstByteMs: others.firstByteMs },
    },
  };
}

/** The server behind nginx, set up as in deploy/nginx, which sends the files that it is told to. */
async function behindProxy(delivery: Turning, data: DataSet, nginx: Peer, root: string) {
  const settings = { TICKLAKE_FILE_SENDER: 'x-accel-redirect' };
  const service = await startService(data.home, 'default', settings);
  const { host } = new URL(service.url);
  const proxy = await serveWithNginx(
    root,
    data.scratch,
    `location /v1/ {
       proxy_pass http://ticklake; proxy_set_header Host $http_host;
       proxy_http_version 1.1; proxy_set_header Connection "";
     }
     location /ticklake-files/ { internal; alias ${data.home}/files/; }`,
    `upstream ticklake { server ${host}; keepalive 64; }`,
  );
  try {
    const { href, pathname } = new URL(await wholeDay(service, delivery.page));
    await askFirstBytes(href, delivery.turns);
    const own = { name: 'nginx told by the server', url: `${proxy.url}${pathname}`, target: 0.95 };
    return await throughput(delivery, own, nginx, root);
  } finally {
    await proxy.stop();
    await service.stop();
  }
}

export async function files(bench: Bench, page: TickPage): Promise<Finding[]> {
  const runs = Math.max(bench.turns.runs, RUNS_MIN[bench.data.sizes.name]);
  const turns = atMost(runs, { warmUps: WARM_UPS, runs });
  const root = dirname(page.file);
  const nginx = await serveWithNginx(root, bench.data.scratch);
  const service = await startService(bench.data.home, 'default');
  const findings: Finding[] = [];
  try {
    const own = { name: 'the server', url: await wholeDay(service, page), target: 0.4 };
    await askFirstBytes(own.url, turns);
    findings.push(await throughput({ turns, page }, own, nginx, root));
  } finally {
    await service.stop();
  }
  findings.push(await behindProxy({ turns, page }, bench.data, nginx, root));
  await nginx.stop();
  return findings;
}
