/** `ticklake engine copy`: copies a lake between the home, object storage and a cluster. */
import { join } from 'node:path';
import {
  type CopyReport,
  convertedParts,
  copyParts,
  type PartCopier,
  sameParts,
} from '../backup/copy-parts.ts';
import { UsageError } from '../base/errors.ts';
import { deploymentOf, HOME_LOCK_FILE } from '../base/home-layout.ts';
import { counted } from '../base/printable.ts';
import type { DigestedPart, EngineReader, PartStorage } from '../engine/engine.ts';
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
import { type Command, type CommandContext, EXIT } from './command.ts';
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
  /** True if parts have another form there. */
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

/** A node's cache of object storage is not part of the lake. */
function configAt({ config }: CommandContext, lakeAddress: LakePlace | null) {
  return { ...config, lakeAddress, lakeCacheBytesMax: 0 };
}

/** Between two buckets, tools of their own copy much faster, from one to the other. */
async function refuseToCopy({ location }: DigestedPart): Promise<void> {
  throw new UsageError(
    `${location} is not there yet; between two buckets, copy the objects with a tool of the ` +
      `object storage first, or copy the lake to ${HOME} and from there`,
  );
}

function stored(
  { config: { home }, signal }: CommandContext,
  { from, to }: Places,
  source: PartStorage,
  target: PartStorage,
): PartCopier {
  if (to === null) return sameParts(source, target, (part) => source.copyTo(part, home, signal));
  if (from !== null) return sameParts(source, target, refuseToCopy);
  const { takeFrom } = target;
  if (!takeFrom) throw new Error('parts cannot be copied to this engine');
  return sameParts(source, target, (part) => takeFrom(part, home, signal));
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

/** Rejects with a `UsageError` if the lake is elsewhere or a publication is open. */
async function requireCopyable(
  { from, to, areConverted }: Places,
  index: LakeIndex,
): Promise<void> {
  const [source, place] = [lakePlaceName(from), lakePlaceName(to)];
  const noted = await index.moves.settlePlace(source);
  if (areConverted && (await index.ledger.running()).length > 0) {
    throw new UsageError('a publication is open; commit or abandon it first');
  }
  if (areConverted && noted === place) throw new UsageError(`the lake is in ${place} already`);
  if (noted !== source && noted !== place) {
    throw new UsageError(`the lake is in ${noted}; copy it from there`);
  }
}

/** The copier, and its readers to be closed. */
async function copierOf(
  context: CommandContext,
  places: Places,
  index: LakeIndex,
  target: PartStorage,
): Promise<{ readonly copier: PartCopier; readonly reader: EngineReader | null }> {
  const { config, signal } = context;
  const source = configAt(context, places.from);
  if (!places.areConverted) {
    return { copier: stored(context, places, await openStorage(source), target), reader: null };
  }
  const catalog = openCatalog(config.home);
  const reader = await INSTALLED_ENGINE.openReader(source);
  const place = lakePlaceName(places.to);
  const copier = convertedParts({ index, catalog, reader, to: target, place, signal });
  return { copier, reader };
}

/** Switches all versions at once, when all parts are there. The publishing lock is held. */
async function copyAll(
  context: CommandContext,
  places: Places,
  index: LakeIndex,
  onProgress: (share: number) => void,
): Promise<CopyReport> {
  const { config, signal } = context;
  await requireCopyable(places, index);
  const target = await openStorage(configAt(context, places.to));
  const deployment = deploymentOf(config.home);
  await new LakeOwner({ index, storage: target, deployment }).require();
  const { copier, reader } = await copierOf(context, places, index, target);
  const diskFolder = places.to === null ? config.home : null;
  try {
    const copying = { index: index.space, diskFolder, signal, onProgress };
    const report = await copyParts({ ...copying, ...copier });
    const place = lakePlaceName(places.to);
    // Parts of the same form keep their names: the index has to note the place alone.
    if (places.areConverted) await index.moves.finishMove(place);
    else await index.moves.changePlace(place);
    return report;
  } finally {
    await reader?.close();
  }
}

async function copy(context: CommandContext, words: readonly string[]): Promise<CopyReport> {
  const { config, clock, terminal } = context;
  const places = placesOf(words);
  const index = await openLakeIndex(config);
  const bar = new ProgressBar(terminal, () => clock.now());
  const onProgress = (share: number) => bar.update('copying parts', share);
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
