/** `ticklake engine copy`: copies a lake between the home, object storage and a cluster. */
import {
  type CopyReport,
  convertedParts,
  copiedParts,
  copyParts,
  type PartCopier,
  sameParts,
} from '../backup/copy-parts.ts';
import { UsageError } from '../base/errors.ts';
import { deploymentOf } from '../base/home-layout.ts';
import { counted } from '../base/printable.ts';
import type { DigestedPart, PartStorage } from '../engine/engine.ts';
import {
  INSTALLED_ENGINE,
  isCluster,
  LAKE_PLACE_FORM,
  type LakePlace,
  lakePlaceName,
  readLakePlace,
} from '../installed.ts';
import { LakeOwner } from '../lake/lake-owner.ts';
import { openLakeIndex, openStorage, requireStore } from '../open-home.ts';
import { openCatalog } from '../open-services.ts';
import type { LakeIndex } from '../store/lake-index.ts';
import type { Command, CommandContext } from './command.ts';
import { lockHome } from './opened-home.ts';

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
  if (from === to) {
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
  if (to === null) return copiedParts(source, target, home, signal);
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

async function copierOf(
  context: CommandContext,
  places: Places,
  index: LakeIndex,
  target: PartStorage,
): Promise<PartCopier> {
  const { config, signal, closing } = context;
  const source = configAt(context, places.from);
  if (!places.areConverted) return stored(context, places, await openStorage(source), target);
  const catalog = openCatalog(config.home);
  const reader = closing(await INSTALLED_ENGINE.openReader(source));
  const place = lakePlaceName(places.to);
  return convertedParts({ index, catalog, reader, to: target, place, signal });
}

/** Switches all versions at once, when all parts are there. The publishing lock is held. */
async function copyAll(
  context: CommandContext,
  places: Places,
  index: LakeIndex,
): Promise<CopyReport> {
  const { config, signal, onProgress, closing } = context;
  await requireCopyable(places, index);
  const target = await openStorage(configAt(context, places.to));
  closing({ close: () => target.close?.() });
  const deployment = deploymentOf(config.home);
  await new LakeOwner({ index, storage: target, deployment }).require();
  const copier = await copierOf(context, places, index, target);
  const diskFolder = places.to === null ? config.home : null;
  const report = await copyParts({
    ...{ index: index.space, diskFolder, signal, ...copier },
    onProgress: (share) => onProgress('copying parts', share),
  });
  const place = lakePlaceName(places.to);
  // Parts of the same form keep their names: the index has to note the place alone.
  if (places.areConverted) await index.moves.finishMove(place);
  else await index.moves.changePlace(place);
  return report;
}

async function run(context: CommandContext, words: readonly string[]) {
  const { config, closing } = context;
  const places = placesOf(words);
  requireStore(config);
  lockHome(context);
  const index = closing(await openLakeIndex(config));
  const lock = await index.publishers.tryLock();
  if (!lock) throw new UsageError('something is being published; try again when that has ended');
  closing(lock);
  const report = await copyAll(context, places, index);
  return { value: report, text: textOf(report, words[1] ?? '') };
}

export const engineCopy: Command = {
  name: ['engine', 'copy'],
  summary: 'copy a lake between the home, object storage and a cluster, and verify it',
  usage: '<from> <to>',
  run: (context, _values, words) => run(context, words),
};
