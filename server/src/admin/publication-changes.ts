/** Operations that undo, withdraw and drop what was published, or publish it in several steps. */
import { namingColumns } from '../engine/indexed-columns.ts';
import type { DateSpan } from '../engine/query-plan.ts';
import { optional, refuse, required } from './field.ts';
import { DATASET_NAMES, DATE, FLAG, ID, NAME, PARTITIONS, UNIVERSE } from './field-kinds.ts';
import { type LakeContext, type LakeOperation, lakeOperation } from './lake-operation.ts';
import {
  ANY_DATASET_ID,
  ANY_PUBLICATION_ID,
  actsOf,
  changeOptions,
  DATASET_ID,
  datasetsNamed,
  droppedView,
  existingPublication,
  PRUNING,
  PUBLICATION_ID,
  PUBLICATION_RECORD,
  REASON_FIELD,
  REQUIRED_REASON,
  recordView,
  WITHDRAWAL,
} from './publication-readings.ts';

/** More names than these are only counted in the audit log. */
const NOTED_MAX = 100;

const DRY_RUN = optional(FLAG, 'Only report what would be removed; default: false', '--dry-run');

/** The outcome of a change, and its entries in the audit log. */
async function outcomeOf(context: LakeContext, publicationId: number, noted: object) {
  const record = await existingPublication(context, publicationId);
  const answer = recordView(record);
  return { answer, acts: actsOf(record, noted), hasEffect: record.state !== 'unchanged' };
}

const rollBack = lakeOperation({
  name: 'rollBackPublication',
  summary: 'undo a publication, or all that came after a version of a dataset; nothing is copied',
  endpoint: 'POST /admin/publications/rollback',
  command: 'publication rollback',
  fields: {
    publication_id: ANY_PUBLICATION_ID,
    dataset_id: ANY_DATASET_ID,
    to_version: optional(ID, "Version of 'dataset_id' that becomes current again", {
      option: '--to VERSION',
      description: 'version of the dataset that becomes current again',
    }),
    reason: REASON_FIELD,
  },
  answer: PUBLICATION_RECORD,
  refusals: ['not found', 'conflict', 'unavailable'],
  run: async (context, values) => {
    const { publication_id: id, dataset_id: dataset, to_version: toVersion, reason } = values;
    const isOfVersion = dataset !== undefined && toVersion !== undefined;
    if (id !== undefined && (dataset ?? toVersion) !== undefined) {
      const complaint = "should not be given with 'dataset_id' and 'to_version'";
      refuse('publication_id', 'not_together', complaint, id);
    }
    if (id === undefined && !isOfVersion) {
      const complaint = "is missing; give it, or 'dataset_id' and 'to_version'";
      refuse('publication_id', 'missing', complaint, null);
    }
    if (id !== undefined) await existingPublication(context, id);
    const target = isOfVersion
      ? { datasetId: dataset.datasetId, toVersion }
      : { publicationId: id as number };
    const made = await context.lake.publisher.rollBack(target, changeOptions(context, reason));
    const noted = isOfVersion ? { to_version: toVersion } : { rolled_back_publication_id: id };
    return await outcomeOf(context, made.publicationId, noted);
  },
});

interface GivenDates {
  readonly date?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

function datesOf({ date, from, to }: GivenDates): DateSpan | null {
  if (date !== undefined) {
    if ((from ?? to) !== undefined) {
      refuse('date', 'not_together', "should not be given with 'from' or 'to'", date);
    }
    return { start: date, end: date };
  }
  if (from === undefined && to === undefined) return null;
  if (from === undefined) return refuse('from', 'missing', "is missing; give it with 'to'", null);
  if (to === undefined) return refuse('to', 'missing', "is missing; give it with 'from'", null);
  if (to < from) refuse('to', 'end_before_start', `should not be before ${from}`, to);
  return { start: from, end: to };
}

const withdraw = lakeOperation({
  name: 'withdrawRows',
  summary: 'take days, partitions, identifiers or all rows out of a dataset',
  endpoint: 'POST /admin/publications/withdraw',
  command: 'publication withdraw',
  fields: {
    dataset_id: DATASET_ID,
    date: optional(DATE, 'The one trade date whose rows go', '--date D'),
    from: optional(DATE, 'First trade date whose rows go', '--from D'),
    to: optional(DATE, 'Last trade date whose rows go', '--to D'),
    partitions: optional(PARTITIONS, 'Keys of the partitions that lose rows', '--partition KEY...'),
    identifiers: optional(UNIVERSE, 'Identifiers whose rows go', '--identifier X...'),
    all: optional(FLAG, 'Take out all rows; default: false', '--all'),
    into: optional(
      ID,
      'Open publication to take them out in, which counts when it is committed; default: one of its own',
      '--into ID',
    ),
    reason: REQUIRED_REASON,
    dry_run: DRY_RUN,
  },
  answer: WITHDRAWAL,
  refusals: ['not found', 'conflict', 'unavailable'],
  run: async (context, values) => {
    const { dataset_id: dataset, all = false, dry_run: isDryRun = false, into, reason } = values;
    const dates = datesOf(values);
    const partitions = values.partitions?.length ? values.partitions : null;
    const identifiers = values.identifiers?.length ? values.identifiers : null;
    const isNarrowed = dates !== null || partitions !== null || identifiers !== null;
    if (!all && !isNarrowed) {
      const others = "'date', 'from' and 'to', 'partitions' or 'identifiers'";
      refuse('all', 'missing', `is missing; give it, or ${others}`, null);
    }
    if (all && isNarrowed) {
      const complaint = 'should not be given with dates, partitions or identifiers';
      refuse('all', 'not_together', complaint, all);
    }
    if (dates !== null && dataset.dateColumn === null) {
      const complaint = `should not be given: ${dataset.datasetId} has no dates`;
      refuse(values.date === undefined ? 'from' : 'date', 'no_dates', complaint, dates.start);
    }
    if (identifiers !== null && namingColumns(dataset).length === 0) {
      const complaint = `should not be given: ${dataset.datasetId} has no identifiers`;
      refuse('identifiers', 'no_universe', complaint, identifiers);
    }
    if (into !== undefined && isDryRun) {
      refuse('dry_run', 'not_together', "should not be given with 'into'", isDryRun);
    }
    if (into !== undefined) await existingPublication(context, into);
    const withdrawal = { dates, partitions, identifiers };
    const options = { ...changeOptions(context, reason), isDryRun, into };
    const made = await context.lake.publisher.withdraw(dataset, withdrawal, options);
    const outcome = await outcomeOf(context, made.publicationId, {
      ...{ is_dry_run: isDryRun, reason },
      removed_row_count: made.removedRowCount,
      partition_count: made.partitions.length,
      ...dates,
      partitions: partitions?.slice(0, NOTED_MAX) ?? null,
      identifiers: identifiers?.slice(0, NOTED_MAX) ?? null,
    });
    const answer = {
      is_dry_run: isDryRun,
      removed_row_count: made.removedRowCount,
      partitions: made.partitions,
      publication: outcome.answer,
    };
    return { ...outcome, answer, hasEffect: made.partitions.length > 0 };
  },
});

const prune = lakeOperation({
  name: 'pruneVersions',
  summary: 'drop the earlier versions that the settings of retention do not keep',
  endpoint: 'POST /admin/publications/prune',
  command: 'publication prune',
  fields: { dry_run: DRY_RUN },
  answer: PRUNING,
  refusals: ['unavailable'],
  run: async ({ lake, policy, waitMs, onWait, signal }, { dry_run: isDryRun = false }) => {
    const wait = { waitMs, onWait, signal };
    const dropped = await lake.publisher.prune(policy, { ...wait, isDryRun });
    const datasets = dropped.map(droppedView);
    const answer = {
      is_dry_run: isDryRun,
      byte_count: datasets.reduce((sum, each) => sum + each.byte_count, 0),
      datasets,
    };
    const acts = datasets.map(({ dataset_id: id, versions, byte_count: byteCount }) => ({
      target: `dataset:${id}`,
      after: {
        version_count: versions.length,
        last_version: Math.max(...versions),
        byte_count: byteCount,
      },
    }));
    return { answer, acts: isDryRun ? [] : acts, hasEffect: datasets.length > 0 };
  },
});

const begin = lakeOperation({
  name: 'beginPublication',
  summary:
    'open a publication for several loads, which become visible together when it is committed',
  endpoint: 'POST /admin/publications',
  command: 'publication begin',
  fields: {
    dataset_ids: required(
      DATASET_NAMES,
      'Ids or text ids of the datasets that it may change',
      '--dataset ID_OR_TEXT_ID...',
    ),
    reason: REASON_FIELD,
    vendor: optional(NAME, 'Who the data comes from', '--vendor NAME'),
  },
  answer: PUBLICATION_RECORD,
  refusals: ['conflict'],
  run: async (context, { dataset_ids: names, reason, vendor }) => {
    if (names.length === 0) refuse('dataset_ids', 'missing', 'should name a dataset', names);
    const datasets = datasetsNamed(context.catalog, names);
    const options = { ...changeOptions(context, reason), vendor: vendor ?? null };
    const command = 'publication begin';
    const id = await context.lake.publications.open({ ...options, datasets, command });
    return await outcomeOf(context, id, { vendor: options.vendor });
  },
});

const commit = lakeOperation({
  name: 'commitPublication',
  summary: 'publish all that was loaded into an open publication, at once',
  endpoint: 'POST /admin/publications/commit',
  command: 'publication commit',
  fields: { publication_id: PUBLICATION_ID },
  answer: PUBLICATION_RECORD,
  refusals: ['not found', 'conflict', 'unavailable'],
  run: async (context, { publication_id: id }) => {
    await existingPublication(context, id);
    await context.lake.publications.commit(id, changeOptions(context, undefined));
    return await outcomeOf(context, id, {});
  },
});

const abandon = lakeOperation({
  name: 'abandonPublication',
  summary: 'give up an open publication and all that was loaded into it',
  endpoint: 'POST /admin/publications/abandon',
  command: 'publication abandon',
  fields: { publication_id: PUBLICATION_ID, reason: REASON_FIELD },
  answer: PUBLICATION_RECORD,
  refusals: ['not found', 'conflict'],
  run: async (context, { publication_id: id, reason }) => {
    await existingPublication(context, id);
    const message = reason === undefined ? 'abandoned' : `abandoned: ${reason}`;
    await context.lake.publications.abandon(id, message);
    return await outcomeOf(context, id, {});
  },
});

const acknowledge = lakeOperation({
  name: 'acknowledgePublication',
  summary: 'say that a refused or warned load is looked after, so that alerts no longer tell of it',
  endpoint: 'POST /admin/publications/acknowledge',
  command: 'publication acknowledge',
  fields: { publication_id: PUBLICATION_ID, reason: REASON_FIELD },
  answer: PUBLICATION_RECORD,
  refusals: ['not found'],
  run: async (context, { publication_id: id, reason }) => {
    await existingPublication(context, id);
    const hasEffect = await context.lake.ledger.acknowledge(id);
    return { ...(await outcomeOf(context, id, { reason: reason ?? null })), hasEffect };
  },
});

export const PUBLICATION_CHANGES: readonly LakeOperation[] = [
  rollBack,
  withdraw,
  prune,
  begin,
  commit,
  abandon,
  acknowledge,
];
