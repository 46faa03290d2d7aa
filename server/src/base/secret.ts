import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { atEnd } from './at-end.ts';
import { ifThere } from './if-there.ts';

export const SECRET_FILE_MODE = 0o600;

/** Writes the secret to a file that is open, and closes it. */
export function fillSecretFile(descriptor: number, secret: string): void {
  using _descriptor = atEnd(() => closeSync(descriptor));
  writeSync(descriptor, `${secret}\n`);
  fsyncSync(descriptor);
}

/** Writes a secret to a file of its own, in place of one that is there. */
export function writeSecretFile(path: string, secret: string): void {
  // A file that is there keeps the mode that it has, which may be open to others.
  rmSync(path, { force: true });
  fillSecretFile(openSync(path, 'wx', SECRET_FILE_MODE), secret);
}

/** The secret in a file; null where there is no file. */
export function readSecretFile(path: string): string | null {
  return ifThere(() => readFileSync(path, 'utf8').trim());
}

/** A text that no dump and no log shows, whatever holds it. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }
}
