/** LEAN data folders that tests write themselves. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { zipBytes } from './zip-file.ts';

/** Text of a file, or of the members of a zip file by name. */
export type LeanContent = string | Readonly<Record<string, string>>;

/** Writes a folder of the given files, by path, and returns where it is. */
export function writeLeanFolder(files: Readonly<Record<string, LeanContent>>): string {
  const root = mkdtempSync(path.join(tmpdir(), 'ticklake-lean-'));
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : zipBytes(content));
  }
  return root;
}

/** A market hours database of US equities and of the given futures markets' clocks. */
export function marketHours(
  holidays: readonly string[],
  zones: Readonly<Record<string, string>> = {},
): string {
  const futures = Object.entries(zones).map(([key, dataTimeZone]) => [key, { dataTimeZone }]);
  const equity = { dataTimeZone: 'America/New_York', holidays };
  return JSON.stringify({ entries: { 'Equity-usa-[*]': equity, ...Object.fromEntries(futures) } });
}
