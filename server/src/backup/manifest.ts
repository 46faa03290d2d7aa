/** What a snapshot of a backup says of itself. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';
import { writeWholeFile } from '../base/write-whole-file.ts';

/** One more when this release could not restore it any longer, or earlier ones could not. */
export const BACKUP_FORMAT = 1;

/** Files that are not parts lie in it as in a home. */
export const HOME_FILES = 'home';
const MANIFEST = 'manifest.json';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
/** Never leads out of the folder that it is in. */
const safePath = v.pipe(
  v.string(),
  v.regex(/^[^/\\]+(\/[^/\\]+)*$/),
  v.check((path) => !path.split('/').some((step) => step === '.' || step === '..')),
);

const MANIFEST_SCHEMA = v.object({
  format: v.literal(BACKUP_FORMAT),
  snapshot: v.string(),
  taken_at: v.pipe(v.string(), v.isoTimestamp()),
  release: v.string(),
  /** The folder that it was taken of. */
  home: v.string(),
  parts: v.object({ count, stored_bytes: count }),
  files: v.array(
    v.object({
      path: safePath,
      bytes: count,
      sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
    }),
  ),
});

export type Manifest = v.InferOutput<typeof MANIFEST_SCHEMA>;
export type CopiedFile = Manifest['files'][number];

export function writeManifest(folder: string, manifest: Manifest): void {
  writeWholeFile(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`, 0o600);
}

function parsedManifest(text: string): Manifest | null {
  try {
    const { success, output } = v.safeParse(MANIFEST_SCHEMA, JSON.parse(text));
    return success ? output : null;
  } catch {
    return null;
  }
}

/** Throws a `UsageError` where it is missing, damaged or of another format. */
export function readManifest(folder: string): Manifest {
  const path = join(folder, MANIFEST);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(failureText(error));
  }
  const manifest = parsedManifest(text);
  if (manifest) return manifest;
  throw new UsageError(`${path} is damaged, or was written by another release`);
}
