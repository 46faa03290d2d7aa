/** A ClickHouse server that is asked by HTTPS, and believed by its certificate alone. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certify } from '../certificates.ts';
import { freePort } from '../free-port.ts';
import { PROGRAM } from '../program.ts';
import { ClickHouseServer, missingClickHouse, PASSWORDS } from './cluster.ts';

const ROWS = 'TradeDate,Ticker,ASID,ClosePrice\n2024-06-18,AAAA,7,10\n';

describe.skipIf(missingClickHouse() !== null)('a ClickHouse server by HTTPS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ticklake-encryption-'));
  const rows = join(folder, 'daily.csv');
  let authority: string;
  let ports: { readonly plain: number; readonly encrypted: number };
  let server: ClickHouseServer;

  beforeAll(async () => {
    writeFileSync(rows, ROWS);
    ports = { plain: await freePort(), encrypted: await freePort() };
    const made = certify(folder);
    authority = made.authority;
    const encryption = { ...made, port: ports.encrypted };
    server = new ClickHouseServer(join(folder, 'server'), ports.plain, encryption);
    await server.start();
    await server.query('CREATE DATABASE lake');
    mkdirSync(join(folder, 'home'));
  });
  afterAll(async () => {
    await server?.kill();
    rmSync(folder, { recursive: true });
  });

  // In its own process: Node.js reads the name of the authority when it starts.
  function run(host: string, settings: Record<string, string>, ...words: string[]) {
    const place = { TICKLAKE_LAKE: `clickhouse://${host}/lake?tls=on`, ...PASSWORDS };
    const home = { TICKLAKE_HOME: join(folder, 'home') };
    const env = { PATH: process.env.PATH, ...place, ...home, ...settings };
    return new Promise<{ exitCode: unknown; stderr: string }>((resolve) => {
      execFile(process.execPath, [PROGRAM, ...words], { env }, (error, _, stderr) =>
        resolve({ exitCode: error?.code ?? 0, stderr }),
      );
    });
  }
  const trusting = () => ({ NODE_EXTRA_CA_CERTS: authority });

  it('holds a lake', async () => {
    const host = `localhost:${ports.encrypted}`;
    for (const words of [
      ['ingest', 'eq_daily_ohlc', rows],
      ['lake', 'verify', '--rows'],
    ]) {
      const { exitCode, stderr } = await run(host, trusting(), ...words);
      expect([words, exitCode, stderr]).toEqual([words, 0, '']);
    }
  });

  it('is refused in one line unless its certificate is trusted and names it', async () => {
    const refusal = async (host: string, settings: Record<string, string>) => {
      const { exitCode, stderr } = await run(host, settings, 'ingest', 'eq_daily_ohlc', rows);
      expect([exitCode, stderr.split('\n')]).toEqual([2, [expect.any(String), '']]);
      return stderr;
    };
    const host = `localhost:${ports.encrypted}`;
    expect(await refusal(host, {})).toContain(
      'its certificate is not trusted; name the authority in NODE_EXTRA_CA_CERTS',
    );
    expect(await refusal(`127.0.0.1:${ports.encrypted}`, trusting())).toContain(
      'its certificate is for another name; name the server in TICKLAKE_LAKE as its certificate does',
    );
    expect(await refusal(`localhost:${ports.plain}`, trusting())).toContain(
      'it does not speak TLS on that port; name its port for HTTPS in TICKLAKE_LAKE, or add ?tls=off',
    );
  });
});
