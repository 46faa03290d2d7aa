/** `ticklake engine copy`: copies a lake between the home, object storage and a cluster. */
import { join } from 'node:path';
import { type CopyReport, copyParts } from '../backup/copy-parts.ts';
import { moveParts } from '../backup/move-parts.ts';
import { counted } from '../base/counted.ts';
import { deploymentOf } from '../base/deployment-id.ts';
import { UsageError } from '../base/errors.ts';
import { HOME_LOCK_FILE } from '../base/home-layout.ts';
import type { PartStorage } from '../engine/engine.ts';
import type { DigestedPart } from '../engine/stored-parts.ts';
import {
  INSTALLED_ENGINE,
  isCluster,
  LAKE_PLACE_FORM,
  type LakePlace,
  lakePlaceName,
  readLakePlace,
  tryLockFile,
} from '../installed.ts';
import { LakeOwner } from '../lake/lake-owner.ts';
import { openLakeIndex, openStorage, requireStore } from '../open-home.ts';
import { openCatalog } from '../open-services.ts';
import type { LakeIndex } from '../store/lake-index.ts';
import type { Command, CommandContext } from './command.ts';
import { EXIT } from './exit-codes.ts';

import { ProgressBar } from './progress-bar.ts';

const HOME = 'home';

/** Null: the folder of the home. */
function placeOf(word: string): LakePlace | null {
  if (word === HOME) return null;
  const place = readLakePlace(word);
  if (place) return place;
  throw new UsageError(`a lake must be ${HOME}, or ${LAKE_PLACE_FORM}, not ${word}`);
}

interface Places {
  readonly from: LakePlace | null;
  readonly to: LakePlace | null;
  /** Whether parts have another form in one of them. */
  readonly areConverted: boolean;
}

function placesOf(words: readonly string[]): Places {
  const [from = '', to = ''] = words;
  if (words.length !== 2 || from === to) {
    throw new UsageError(
      `name the lake to copy and another place to copy it to: ticklake engine copy ${HOME} s3://BUCKET/PREFIX`,
    );
  }
  const places = { from: placeOf(from), to: placeOf(to) };
  return { ...places, areConverted: isCluster(places.from) || isCluster(places.to) };
}

/** What a node keeps of object storage is no part of the lake. */
function configAt({ config }: CommandContext, lakeAddress: LakePlace | null) {
  return { ...config, lakeAddress, lakeCacheBytesMax: 0 };
}

type Copier = (part: DigestedPart, signal: AbortSignal) => Promise<void>;

/** Between two buckets, tools of their own copy much faster, from one to the other. */
async function refuseToCopy(part: DigestedPart): Promise<void> {
  throw new UsageError(
    `${part.location} is not there yet; between two buckets, copy the objects with a tool of the ` +
      `object storage first, or copy the lake to ${HOME} and from there`,
  );
}

function copierOf(
  { from, to }: Places,
  storages: { readonly from: PartStorage; readonly to: PartStorage },
  home: string,
): Copier {
  if (to === null) return (part, signal) => storages.from.copyTo(part, home, signal);
  if (from !== null) return refuseToCopy;
  const { takeFrom } = storages.to;
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

/** Nothing is stored among the parts of another store. */
async function requireOwn(index: LakeIndex, storage: PartStorage, home: string): Promise<void> {
  await new LakeOwner({ index, storage, deployment: deploymentOf(home) }).require();
}

/** Parts of the same form keep their names: the index has to note the place alone. */
async function copyStored(
  context: CommandContext,
  places: Places,
  index: LakeIndex,
  onProgress: (share: number) => void,
): Promise<CopyReport> {
  const { from, to } = places;
  const { home } = context.config;
  const [source, target] = [lakePlaceName(from), lakePlaceName(to)];
  const noted = await index.moves.settlePlace(source);
  if (![source, target].includes(noted)) {
    throw new UsageError(`the lake is in ${noted}; copy it from there`);
  }
  const storages = {
    from: await openStorage(configAt(context, from)),
    to: await openStorage(configAt(context, to)),
  };
  await requireOwn(index, storages.to, home);
  const report = await copyParts({
    ...{ index: index.space, ...storages, signal: context.signal, onProgress },
    copy: copierOf(places, storages, home),
    diskFolder: to === null ? home : null,
  });
  await index.moves.changePlace(target);
  return report;
}

/** The index is that of the place to copy to from then on. */
async function moveRows(
  context: CommandContext,
  { from, to }: Places,
  index: LakeIndex,
  onProgress: (share: number) => void,
): Promise<CopyReport> {
  const { config, signal } = context;
  const diskFolder = to === null ? config.home : null;
  const catalog = openCatalog(config.home);
  const storage = await openStorage(configAt(context, to));
  await index.moves.settlePlace(lakePlaceName(from));
  await requireOwn(index, storage, config.home);
  const reader = await INSTALLED_ENGINE.openReader(configAt(context, from));
  try {
    return await moveParts({
      ...{ index, catalog, reader, to: storage, diskFolder, signal, onProgress },
      ...{ from: lakePlaceName(from), place: lakePlaceName(to) },
    });
  } finally {
    await reader.close();
  }
}

async function copy(context: CommandContext, words: readonly string[]): Promise<CopyReport> {
  const { config, clock, terminal } = context;
  const places = placesOf(words);
  const index = await openLakeIndex(config);
  const bar = new ProgressBar(terminal, () => clock.now());
  const onProgress = (share: number) => bar.update('copying parts', share);
  const copyAll = places.areConverted ? moveRows : copyStored;
  try {
    const lock = await index.publishers.tryLock();
    if (!lock) throw new UsageError('something is being published; try again when that has ended');
    return await copyAll(context, places, index, onProgress).finally(() => lock.release());
  } finally {
    bar.clear();
    await index.close();
  }
}

async function run(context: CommandContext, words: readonly string[]) {
  const { config } = context;
  placesOf(words);
  requireStore(config);
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
  summary: 'copy a lake between the home, object storage and a cluster, and verify it',
  usage: '<from> <to>',
  options: {},
  run: (context, _values, words) => run(context, words),
};
