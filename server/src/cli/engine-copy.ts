/** `ticklake engine copy`: copies the parts of a lake between the home and object storage. */
import { join } from 'node:path';
import { type CopyReport, copyParts } from '../backup/copy-parts.ts';
import { UsageError } from '../base/errors.ts';
import { HOME_LOCK_FILE } from '../base/home-layout.ts';
import type { PartStorage } from '../engine/engine.ts';
import type { DigestedPart } from '../engine/stored-parts.ts';
import {
  isCluster,
  LAKE_PLACE_FORM,
  type LakePlace,
  readLakePlace,
  tryLockFile,
} from '../installed.ts';
import { findControlStore, openLakeIndex, openStorage } from '../open-home.ts';
import type { Command, CommandContext } from './command.ts';
import { EXIT } from './exit-codes.ts';
import { counted } from './load-options.ts';
import { ProgressBar } from './progress-bar.ts';

const HOME = 'home';

/** Null: the folder of the home. */
function placeOf(word: string): LakePlace | null {
  if (word === HOME) return null;
  const place = readLakePlace(word);
  if (!place) throw new UsageError(`a lake must be ${HOME}, or ${LAKE_PLACE_FORM}, not ${word}`);
  if (!isCluster(place)) return place;
  throw new UsageError(
    'a cluster keeps parts in another form, which no command copies yet; load the data into it',
  );
}

function placesOf(words: readonly string[]) {
  const [from = '', to = ''] = words;
  if (words.length !== 2 || (from === HOME) === (to === HOME)) {
    throw new UsageError(
      `name the lake to copy and the place to copy it to, one of them ${HOME}: ticklake engine copy ${HOME} s3://BUCKET/PREFIX`,
    );
  }
  return { from: placeOf(from), to: placeOf(to) };
}

/** What a node keeps of object storage is no part of the lake. */
function storageAt({ config }: CommandContext, lakeAddress: LakePlace | null) {
  return openStorage({ ...config, lakeAddress, lakeCacheBytesMax: 0 });
}

function copierOf(
  from: PartStorage,
  to: PartStorage,
  home: string,
  isToHome: boolean,
): (part: DigestedPart, signal: AbortSignal) => Promise<void> {
  if (isToHome) return (part, signal) => from.copyTo(part, home, signal);
  const { takeFrom } = to;
  if (takeFrom) return (part, signal) => takeFrom(part, home, signal);
  throw new Error('parts cannot be copied to this engine');
}

function textOf(report: CopyReport, place: string): string {
  const { partCount, storedByteCount, copiedPartCount } = report;
  const copied = `Copied ${counted(copiedPartCount, 'part')}, each compared by its digest`;
  const all = `all ${counted(partCount, 'part')} of ${counted(storedByteCount, 'byte')} are there`;
  const next =
    place === HOME
      ? 'Run servers and commands without TICKLAKE_LAKE'
      : `Set TICKLAKE_LAKE=${place} for all servers and commands`;
  return `${copied}; ${all}.\n${next}; what was copied from stays as it was.\n`;
}

async function copy(context: CommandContext, words: readonly string[]): Promise<CopyReport> {
  const { config, clock, signal, terminal } = context;
  const { home } = config;
  const places = placesOf(words);
  const [from, to] = [await storageAt(context, places.from), await storageAt(context, places.to)];
  const index = await openLakeIndex(config);
  const bar = new ProgressBar(terminal, () => clock.now());
  try {
    return await copyParts({
      ...{ index: index.space, from, to, signal },
      copy: copierOf(from, to, home, places.to === null),
      diskFolder: places.to === null ? home : null,
      onProgress: (share) => bar.update('copying parts', share),
    });
  } finally {
    bar.clear();
    await index.close();
  }
}

async function run(context: CommandContext, words: readonly string[]) {
  const { config } = context;
  placesOf(words);
  const { exists, path } = findControlStore(config);
  if (!exists) throw new UsageError(`there is no store at ${path}; name another home with --home`);
  const lock = tryLockFile(join(config.home, HOME_LOCK_FILE));
  if (!lock) throw new UsageError(`a server uses ${config.home}; stop it and try again`);
  try {
    const report = await copy(context, words);
    return { value: report, text: textOf(report, words[1] ?? ''), exitCode: EXIT.done };
  } finally {
    lock.release();
  }
}

export const engineCopy: Command = {
  name: ['engine', 'copy'],
  summary: 'copy the parts of a lake from the home to object storage, or back, and verify them',
  usage: '<from> <to>',
  options: {},
  run: (context, _values, words) => run(context, words),
};
