/** Operations that read the ledger of publications, and what is told of publications. */
import * as v from 'valibot';
import { ApiError } from '../base/errors.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import type { DroppedVersions } from '../lake/retention.ts';
import { anyObject, flag, integer, text, texts, time } from '../schema/answer.ts';
import {
  PART_CHANGES,
  type PartChange,
  type PartTotals,
  PUBLICATION_KINDS,
  PUBLICATION_STATES,
  type PublicationRecord,
  type PublicationSource,
  type PublishedDataset,
} from '../store/publications.ts';
import { optional, refuse, required } from './field.ts';
import { choiceOf, DATASET, ID, PARTITION, pageLimit, REASON } from './field-kinds.ts';
import {
  type LakeAct,
  type LakeContext,
  type LakeOperation,
  lakeOperation,
  read,
} from './lake-operation.ts';
import { viewOf } from './views.ts';

const HELP = 'Id of the publication';
const OPTION = '--publication ID';

export const PUBLICATION_ID = required(ID, HELP, OPTION);
export const ANY_PUBLICATION_ID = optional(ID, HELP, OPTION);

const DATASET_OPTION = '--dataset ID_OR_TEXT_ID';
export const DATASET_ID = required(DATASET, 'Id or text id of the dataset', DATASET_OPTION);
export const ANY_DATASET_ID = optional(DATASET, 'Id or text id of a dataset', DATASET_OPTION);

const REASON_OPTION = '--reason TEXT';
export const REASON_FIELD = optional(REASON, 'Why, for the ledger', REASON_OPTION);
export const REQUIRED_REASON = required(REASON, 'Why, for the ledger', REASON_OPTION);

export function limitField(rows: number, max: number, what: string) {
  return optional(pageLimit(max), `Maximum number of ${what}; default: ${rows}`, '--limit N');
}

/** How a change by somebody is published. */
export function changeOptions(
  { actor, waitMs, onWait, signal }: LakeContext,
  reason: string | undefined,
) {
  return { actor, waitMs, onWait, signal, reason: reason ?? null };
}

export async function existingPublication(
  { lake }: Pick<LakeContext, 'lake'>,
  publicationId: number,
): Promise<PublicationRecord> {
  const record = await lake.ledger.publication(publicationId);
  if (record) return record;
  throw new ApiError('not found', `There is no publication ${publicationId}`);
}

/** The datasets of these names. Throws `BadInput`. */
export function datasetsNamed(catalog: Catalog, names: readonly string[]): Dataset[] {
  return names.map((name) => {
    const dataset = catalog.byId(name) ?? catalog.byTextId(name);
    if (dataset) return dataset;
    const complaint = 'should be ids or text ids of datasets, such as US1032 or eq_taq';
    return refuse('dataset_ids', 'illegal_value', complaint, name);
  });
}

/** An entry of the audit log for each dataset of a publication. */
export function actsOf(record: PublicationRecord, after: object): LakeAct[] {
  const { publicationId, state, reason, message } = record;
  const common = { publication_id: publicationId, state, reason, message, ...after };
  return record.datasets.map(({ datasetId, version }) => ({
    target: `dataset:${datasetId}`,
    after: { ...common, version },
  }));
}

/** Further sources are only counted. */
const SOURCES_MAX = 1000;

function datasetView(dataset: PublishedDataset) {
  return viewOf(PUBLISHED_DATASET, {
    ...dataset,
    addedPartitionCount: dataset.addedPartCount,
    replacedPartitionCount: dataset.replacedPartCount,
    removedPartitionCount: dataset.removedPartCount,
  });
}

export function summaryView(record: PublicationRecord) {
  const datasets = record.datasets.map(datasetView);
  return viewOf(PUBLICATION_SUMMARY, { ...record, sourceCount: record.sources.length, datasets });
}

function sourceView({ derivation, ...source }: PublicationSource) {
  return viewOf(SOURCE, { ...source, derivation: derivation ? JSON.parse(derivation) : null });
}

export function recordView(record: PublicationRecord) {
  return {
    ...summaryView(record),
    sources: record.sources.slice(0, SOURCES_MAX).map(sourceView),
    checks: record.checks.map((check) => viewOf(CHECK, check)),
  };
}

const totalsView = (totals: PartTotals | null) => totals && viewOf(TOTALS, totals);

interface Compared {
  readonly datasetId: string;
  readonly fromVersion: number;
  readonly toVersion: number;
  /** In the order of their keys. */
  readonly changes: readonly PartChange[];
}

/** At most `limit` partitions, those after one. */
export function differenceView(
  { datasetId, fromVersion, toVersion, changes }: Compared,
  after: string | undefined,
  limit: number,
) {
  const left = after === undefined ? changes : changes.filter(({ key }) => key > after);
  const shown = left.slice(0, limit);
  return {
    dataset_id: datasetId,
    from_version: fromVersion,
    to_version: toVersion,
    partition_count: changes.length,
    partitions: shown.map((each) => ({
      key: each.key,
      change: each.change,
      before: totalsView(each.before),
      after: totalsView(each.after),
    })),
    next_after: left.length > limit ? (shown.at(-1)?.key ?? null) : null,
  };
}

export const droppedView = (dropped: DroppedVersions) => viewOf(DROPPED_VERSIONS, dropped);

const PUBLISHED_DATASET = v.strictObject({
  dataset_id: text,
  /** Null: not published, or not yet. */
  version: v.nullable(integer),
  added_partition_count: integer,
  replaced_partition_count: integer,
  removed_partition_count: integer,
  row_count_before: integer,
  row_count_after: integer,
  byte_count_before: integer,
  byte_count_after: integer,
  content_digest: v.nullable(text),
  rolled_back_by: v.nullable(integer),
});

const SUMMARY_FIELDS = {
  publication_id: integer,
  kind: v.picklist(PUBLICATION_KINDS),
  state: v.picklist(PUBLICATION_STATES),
  is_open: flag,
  command: text,
  actor: text,
  reason: v.nullable(text),
  vendor: v.nullable(text),
  started_at: time,
  finished_at: v.nullable(time),
  message: v.nullable(text),
  source_count: integer,
  datasets: v.array(PUBLISHED_DATASET),
};
export const PUBLICATION_SUMMARY = v.strictObject(SUMMARY_FIELDS);
export const PUBLICATION_PAGE = v.strictObject({
  data: v.array(PUBLICATION_SUMMARY),
  pagination: v.strictObject({ limit: integer, next_before: v.nullable(integer) }),
});

/** How rows were computed from a source. */
const DERIVATION = v.strictObject({
  computation: text,
  rule_version: integer,
  /** How its rows differ from other datasets of the same computation. */
  variant: anyObject(),
  parameters: v.nullable(anyObject()),
  /** Versions of what was read; null: as the same publication made it, or nothing. */
  inputs: v.array(v.strictObject({ dataset_id: text, dataset_version: v.nullable(integer) })),
});

const SOURCE = v.strictObject({
  ...{ dataset_id: text, name: text, byte_count: integer, sha256: text },
  derivation: v.nullable(DERIVATION),
});
const CHECK = v.strictObject({
  dataset_id: text,
  name: text,
  severity: v.picklist(['refuse', 'warn']),
  count: integer,
  examples: texts,
});
export const PUBLICATION_RECORD = v.strictObject({
  ...SUMMARY_FIELDS,
  /** The first ones. */
  sources: v.array(SOURCE),
  checks: v.array(CHECK),
});

const TOTALS = v.strictObject({ row_count: integer, byte_count: integer, content_digest: text });
const PART_TOTALS = v.nullable(TOTALS);
export const PUBLICATION_DIFF = v.strictObject({
  /** Null: between two versions. */
  publication_id: v.nullable(integer),
  datasets: v.array(
    v.strictObject({
      dataset_id: text,
      /** 0: nothing had been published. */
      from_version: integer,
      to_version: integer,
      /** Number of partitions that differ. */
      partition_count: integer,
      partitions: v.array(
        v.strictObject({
          key: text,
          change: v.picklist(PART_CHANGES),
          before: PART_TOTALS,
          after: PART_TOTALS,
        }),
      ),
      /** Ask for what is after this partition; null: this is the end. */
      next_after: v.nullable(text),
    }),
  ),
});

export const WITHDRAWAL = v.strictObject({
  is_dry_run: flag,
  removed_row_count: integer,
  /** Keys of the partitions that lose rows. */
  partitions: texts,
  publication: PUBLICATION_RECORD,
});

const DROPPED_VERSIONS = v.strictObject({
  dataset_id: text,
  versions: v.array(integer),
  /** The first version that stays. */
  first_version: integer,
  byte_count: integer,
});
export const PRUNING = v.strictObject({
  is_dry_run: flag,
  byte_count: integer,
  datasets: v.array(DROPPED_VERSIONS),
});

const PAGE_ROWS = 50;
const PAGE_ROWS_MAX = 500;
const DIFF_ROWS = 1000;
const DIFF_ROWS_MAX = 10_000;

/** States of the ledger, and `open` as lists show it. */
const LISTED_STATES = [...PUBLICATION_STATES, 'open'] as const;
const STATE_HELP = "State of the publications; 'open': those of 'running' that wait for a commit";

const VERSION_HELP = 'of the dataset, instead of a publication';

const listPublications = lakeOperation({
  name: 'listPublicationRecords',
  summary: 'list the publications, the newest first',
  endpoint: 'GET /admin/publications',
  command: 'publication list',
  fields: {
    dataset_id: ANY_DATASET_ID,
    state: optional(choiceOf(LISTED_STATES), STATE_HELP, {
      option: '--state STATE',
      description: `one of ${LISTED_STATES.join(', ')}`,
    }),
    before: optional(ID, 'Show those before this id; the previous page gives it', '--before ID'),
    limit: limitField(PAGE_ROWS, PAGE_ROWS_MAX, 'publications'),
  },
  answer: PUBLICATION_PAGE,
  run: async ({ lake }, { dataset_id: dataset, state, before, limit = PAGE_ROWS }) => {
    const found = await lake.ledger.publications({
      limit: limit + 1,
      before,
      datasetIds: dataset && [dataset.datasetId],
      ...(state === 'open' ? { isOpen: true } : { states: state && [state] }),
    });
    const shown = found.slice(0, limit);
    const nextBefore = found.length > limit ? (shown.at(-1)?.publicationId ?? null) : null;
    return read({ data: shown.map(summaryView), pagination: { limit, next_before: nextBefore } });
  },
});

const showPublication = lakeOperation({
  name: 'showPublicationRecord',
  summary: 'show a publication with its sources, its checks and what it made of each dataset',
  endpoint: 'GET /admin/publications/:publication_id',
  command: 'publication show',
  fields: { publication_id: PUBLICATION_ID },
  answer: PUBLICATION_RECORD,
  run: async (context, values) =>
    read(recordView(await existingPublication(context, values.publication_id))),
});

async function differencesOfPublication(
  context: LakeContext,
  publicationId: number,
  datasetId: string | undefined,
) {
  const { datasets } = await existingPublication(context, publicationId);
  const asked = datasets.filter((each) => datasetId === undefined || each.datasetId === datasetId);
  const differences = [];
  for (const { datasetId: id, version } of asked) {
    if (version === null) continue;
    const changes = await context.lake.ledger.partChanges(publicationId, id);
    differences.push({
      datasetId: id,
      fromVersion: version - 1,
      toVersion: version,
      changes,
    });
  }
  return differences;
}

async function requireVersion(
  { lake }: LakeContext,
  datasetId: string,
  version: number,
): Promise<void> {
  const record = await lake.versions.record(datasetId, version);
  if (record?.isRetained) return;
  const problem = record ? 'is no longer retained' : 'does not exist';
  throw new ApiError('not found', `Version ${version} of ${datasetId} ${problem}`);
}

async function differencesOfVersions(
  context: LakeContext,
  datasetId: string,
  fromVersion: number,
  toVersion: number,
) {
  await requireVersion(context, datasetId, fromVersion);
  await requireVersion(context, datasetId, toVersion);
  const changes = (await context.lake.partDiff(datasetId, fromVersion, toVersion)) ?? [];
  return [{ datasetId, fromVersion, toVersion, changes }];
}

const diffPublication = lakeOperation({
  name: 'diffPublication',
  summary: 'show what a publication, or the step between two versions, made of each partition',
  endpoint: 'GET /admin/publications/diff',
  command: 'publication diff',
  fields: {
    publication_id: ANY_PUBLICATION_ID,
    dataset_id: ANY_DATASET_ID,
    from_version: optional(ID, `Earlier version ${VERSION_HELP}`, '--from VERSION'),
    to_version: optional(ID, `Later version ${VERSION_HELP}`, '--to VERSION'),
    after: optional(
      PARTITION,
      'Show partitions after this key; the previous page gives it',
      '--after KEY',
    ),
    limit: limitField(DIFF_ROWS, DIFF_ROWS_MAX, 'partitions of each dataset'),
  },
  answer: PUBLICATION_DIFF,
  refusals: ['not found'],
  run: async (context, values) => {
    const { publication_id: id, dataset_id: dataset, from_version: from, to_version: to } = values;
    const { after, limit = DIFF_ROWS } = values;
    const isOfVersions = from !== undefined && to !== undefined && dataset !== undefined;
    if (id !== undefined && (from ?? to) !== undefined) {
      refuse('from_version', 'not_together', "should not be given with 'publication_id'", from);
    }
    if (id === undefined && !isOfVersions) {
      const complaint = "is missing; give it, or 'dataset_id', 'from_version' and 'to_version'";
      refuse('publication_id', 'missing', complaint, null);
    }
    const differences = isOfVersions
      ? await differencesOfVersions(context, dataset.datasetId, from, to)
      : await differencesOfPublication(context, id as number, dataset?.datasetId);
    return read({
      publication_id: id ?? null,
      datasets: differences.map((each) => differenceView(each, after, limit)),
    });
  },
});

export const PUBLICATION_READINGS: readonly LakeOperation[] = [
  listPublications,
  showPublication,
  diffPublication,
];
