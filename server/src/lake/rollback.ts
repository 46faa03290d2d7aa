/** Plans how publications are undone. Nothing is copied. */
import { UsageError } from '../base/errors.ts';
import type { IndexedVersion, LakeIndex, StagedChange, Undoing } from '../store/lake-index.ts';
import type { PartChange, PublicationRecord } from '../store/publications.ts';

/** The target of a rollback: a publication, or everything after a version of a dataset. */
export type RollbackTarget =
  | { readonly publicationId: number }
  | { readonly datasetId: string; readonly toVersion: number };

export interface PlannedRollback {
  readonly changes: readonly StagedChange[];
  readonly undoing: readonly Undoing[];
}

const STATES: Readonly<Record<string, string>> = {
  running: 'still runs',
  unchanged: 'changed nothing',
  refused: 'was refused',
  failed: 'failed',
  rolled_back: 'has been rolled back already',
};

async function requireVersion(
  index: LakeIndex,
  datasetId: string,
  version: number,
): Promise<IndexedVersion> {
  const found = await index.versions.version(datasetId, version);
  if (found) return found;
  const isKnown = (await index.versions.record(datasetId, version)) !== null;
  throw new UsageError(
    isKnown
      ? `version ${version} of ${datasetId} is no longer retained`
      : `${datasetId} has no version ${version}`,
  );
}

async function planToVersion(
  index: LakeIndex,
  datasetId: string,
  toVersion: number,
): Promise<PlannedRollback> {
  const target = await requireVersion(index, datasetId, toVersion);
  const current = (await index.versions.version(datasetId)) as IndexedVersion;
  if (toVersion === current.version) {
    throw new UsageError(`version ${toVersion} of ${datasetId} is the current one`);
  }
  const was = new Map(target.parts.map(({ key, id }) => [key, id]));
  const is = new Map(current.parts.map(({ key, id }) => [key, id]));
  const keys = [...new Set([...was.keys(), ...is.keys()])];
  const parts = keys
    .map((key) => ({ key, part: was.get(key) ?? null, baseId: is.get(key) ?? null }))
    .filter(({ part, baseId }) => part !== baseId);
  return {
    changes: [{ datasetId, baseVersion: current.version, parts }],
    undoing: [{ datasetId, toVersion }],
  };
}

async function requireUntouched(
  index: LakeIndex,
  { publicationId }: PublicationRecord,
  current: IndexedVersion,
  { datasetId, changes }: { readonly datasetId: string; readonly changes: readonly PartChange[] },
): Promise<void> {
  const ids = new Map(current.parts.map(({ key, id }) => [key, id]));
  const touched = changes.find(
    ({ key, after }) => (ids.get(key) ?? null) !== (after?.partId ?? null),
  );
  if (!touched) return;
  // The publication that changed it last; ids do not tell: an open one may end late.
  const keys = { first: touched.key, last: touched.key };
  const [change] = await index.ledger.lastChanges(datasetId, current.version, keys);
  const later = change && (await index.versions.record(datasetId, change.version))?.publicationId;
  throw new UsageError(
    `publication ${later} changed ${touched.key} of ${datasetId} after publication ` +
      `${publicationId}; roll that one back first, or roll the dataset back to a version`,
  );
}

async function planDataset(
  index: LakeIndex,
  record: PublicationRecord,
  datasetId: string,
  version: number,
): Promise<StagedChange> {
  // The parts before the publication must still exist.
  if (version > 1) await requireVersion(index, datasetId, version - 1);
  const changes = await index.ledger.partChanges(record.publicationId, datasetId);
  const current = (await index.versions.version(datasetId)) as IndexedVersion;
  await requireUntouched(index, record, current, { datasetId, changes });
  const parts = changes.map(({ key, before, after }) => ({
    key,
    part: before?.partId ?? null,
    baseId: after?.partId ?? null,
  }));
  return { datasetId, baseVersion: null, parts };
}

async function planPublication(index: LakeIndex, publicationId: number): Promise<PlannedRollback> {
  const record = await index.ledger.publication(publicationId);
  if (!record) throw new UsageError(`there is no publication ${publicationId}`);
  if (record.state !== 'published') {
    throw new UsageError(`publication ${publicationId} ${STATES[record.state]}`);
  }
  const standing = record.datasets.filter((each) => each.version !== null && !each.rolledBackBy);
  const changes: StagedChange[] = [];
  for (const { datasetId, version } of standing) {
    changes.push(await planDataset(index, record, datasetId, version as number));
  }
  return { changes, undoing: changes.map(({ datasetId }) => ({ datasetId, publicationId })) };
}

/** Throws a `UsageError` where that cannot be undone. The publishing lock is held. */
export async function planRollback(
  index: LakeIndex,
  target: RollbackTarget,
): Promise<PlannedRollback> {
  return 'publicationId' in target
    ? await planPublication(index, target.publicationId)
    : await planToVersion(index, target.datasetId, target.toVersion);
}
