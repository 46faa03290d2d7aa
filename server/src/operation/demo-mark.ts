/** The file by which a home is known as the demo's own, so that nobody puts own data into it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export function demoMarkFile(home: string): string {
  return join(home, 'demo-home.txt');
}

export function isDemoHome(home: string): boolean {
  return existsSync(demoMarkFile(home));
}
