/** A folder that `ticklake mirror` fills with `eq_taq` of a service, and what lies in it. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { readParquet } from '../../src/engine/conformance/read-parquet.ts';
import type { MirrorNote } from '../../src/mirror/mirror-folder.ts';
import { openTestService, type TestService } from '../harness.ts';
import { runRemote } from './remote-commands.ts';

export const DAYS = ['2025-06-16', '2025-06-17', '2025-06-18'];

/** Rows of each day, which is a partition. */
export function ticks(days: readonly string[], price = 100, each = 5): CellValue[][] {
  return days.flatMap((day) =>
    ['AAA', 'BBB'].flatMap((ticker, t) =>
      Array.from({ length: each }, (_, n): CellValue[] => [
        ...[day, BigInt(Date.parse(`${day}T14:00:00Z`)) * 1_000_000n + BigInt(n), 'TRADE', ticker],
        ...[BigInt(11 + t), price + ((n * 7919) % 104_729) / 8, 10, 'NYSE', 1],
      ]),
    ),
  );
}

/** A service with ticks of three days. */
export async function openTickService(): Promise<TestService> {
  const service = await openTestService();
  await service.publish('eq_taq', ticks(DAYS));
  return service;
}

/** Columns that tell rows of `ticks` apart. */
export const plain = (rows: readonly (readonly CellValue[])[]) =>
  rows.map((row) => [row[0], row[3], row[5]].join(' '));

const sha256Of = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

export class MirroredFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'ticklake-mirror-'));
  /** The server that it is a mirror of. */
  service: TestService;

  constructor(service: TestService) {
    this.service = service;
  }

  current(...names: string[]): string {
    return join(this.path, 'eq_taq', 'current', ...names);
  }

  note(): MirrorNote {
    return JSON.parse(readFileSync(this.current('manifest.json'), 'utf8'));
  }

  async mirror(...words: string[]): Promise<Record<string, unknown>> {
    const line = ['mirror', this.path, 'eq_taq', ...words, '--json'];
    const { exitCode, stdout, stderr } = await runRemote(this.service, ...line);
    expect(stderr).toBe('');
    expect(exitCode, stdout.toString()).toBe(0);
    return JSON.parse(stdout.toString()).datasets[0];
  }

  /** The rows of all files, each of which is as the note has it. */
  async rows(): Promise<(readonly CellValue[])[]> {
    const { columns } = this.service.dataset('eq_taq');
    const { files } = this.note();
    expect(readdirSync(this.current()).sort()).toEqual(
      [...files.map(({ name }) => name), 'manifest.json'].sort(),
    );
    const rows: (readonly CellValue[])[] = [];
    for (const { name, sha256 } of files) {
      expect(sha256Of(this.current(name))).toBe(sha256);
      rows.push(...(await readParquet(columns, readFileSync(this.current(name)))).rows);
    }
    return rows;
  }

  remove(): void {
    rmSync(this.path, { recursive: true });
  }
}
