/** A folder that `ticklake mirror` has made, as those read it who load it. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { UsageError } from '../base/errors.ts';
import { pathFailure } from '../base/failure-text.ts';
import { ARRIVED, CURRENT, type MirrorNote, NOTE_FILE } from './mirror-folder.ts';

/** The version of a dataset that a mirror has. */
export interface MirroredVersion {
  /** Where its files lie, also when `current` leads elsewhere meanwhile. */
  readonly path: string;
  readonly note: MirrorNote;
  /** Of all files, in natural order; the same for the same rows in the same files. */
  readonly sha256: string;
}

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** No more than a name, on any system. */
const fileName = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/));

const NOTE = v.object({
  dataset_id: v.string(),
  dataset_name: v.string(),
  dataset_version: v.nullable(count),
  server: v.string(),
  filters: v.record(v.string(), v.unknown()),
  columns: v.nullable(v.array(v.string())),
  row_count: count,
  byte_count: count,
  files: v.array(
    v.object({
      name: fileName,
      row_count: count,
      byte_count: count,
      sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
      first_partition: v.string(),
      last_partition: v.string(),
    }),
  ),
}) satisfies v.GenericSchema<MirrorNote>;

function readNote(path: string): MirrorNote {
  const file = join(path, NOTE_FILE);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw pathFailure(file, error);
  }
  try {
    return v.parse(NOTE, JSON.parse(text));
  } catch {
    throw new UsageError(`${file} is not the manifest of a mirror`);
  }
}

/** Throws a `UsageError` where a file is missing or cut off; whether it is altered, loading it tells. */
function requireFiles(path: string, { files }: MirrorNote): void {
  for (const { name, byte_count: byteCount } of files) {
    const file = join(path, name);
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isFile() && found.size === byteCount) continue;
    const fault = found ? `has ${found.size} bytes, not ${byteCount}` : 'is missing';
    throw new UsageError(`${file} ${fault}; ticklake mirror fetches it again`);
  }
}

function readVersion(folder: string): MirroredVersion {
  const path = realpathSync.native(join(folder, CURRENT));
  const note = readNote(path);
  requireFiles(path, note);
  const digests = note.files.map(({ sha256 }) => `${sha256}\n`).join('');
  return { path, note, sha256: createHash('sha256').update(digests).digest('hex') };
}

function foldersIn(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(directory, name))
      .sort();
  } catch (error) {
    throw pathFailure(directory, error);
  }
}

/** The datasets of a mirror, by the names of their folders. Throws a `UsageError` where one is not whole. */
export function readMirror(directory: string): MirroredVersion[] {
  const folders = foldersIn(directory);
  const whole = folders.filter((folder) => existsSync(join(folder, CURRENT)));
  const unfinished = folders.find(
    (folder) => !whole.includes(folder) && existsSync(join(folder, ARRIVED)),
  );
  if (unfinished !== undefined) {
    throw new UsageError(`${unfinished} is not whole yet; run ticklake mirror to its end`);
  }
  if (whole.length === 0) {
    throw new UsageError(
      `${directory} is not a mirror: no folder in it has ${CURRENT}/${NOTE_FILE}`,
    );
  }
  return whole.map(readVersion);
}
