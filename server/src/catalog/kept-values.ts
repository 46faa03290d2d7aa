/** Caches parsed definitions from one start to the next: parsing is the slowest step. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parse } from 'yaml';
import { writeWholeFile } from '../base/write-whole-file.ts';

interface Kept {
  /** Digest of the texts. */
  readonly digest: string;
  readonly values: readonly unknown[];
}

const NONE: Kept = { digest: '', values: [] };
let last = NONE;

function readKept(path: string): Kept {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) ?? NONE;
  } catch {
    return NONE;
  }
}

/** Nobody is told when it can't be kept: the next start parses again. */
function keep(path: string, made: Kept): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeWholeFile(path, JSON.stringify(made));
  } catch {}
}

function parseAll(texts: readonly string[], digest: string): Kept {
  try {
    return { digest, values: texts.map((text) => parse(text)) };
  } catch {
    return NONE;
  }
}

/** Values of YAML texts in order, cached in the file `path`; none if one is illegal. */
export function keptValues(path: string, texts: readonly string[]): readonly unknown[] {
  const digest = createHash('sha256').update(JSON.stringify(texts)).digest('hex');
  if (last.digest !== digest) last = readKept(path);
  if (last.digest !== digest) {
    last = parseAll(texts, digest);
    if (last !== NONE) keep(path, last);
  }
  return last.values;
}
