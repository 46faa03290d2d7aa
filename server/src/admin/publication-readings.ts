/** Operations that read the ledger of publications. */
import { ApiError } from '../base/errors.ts';
import { PUBLICATION_STATES } from '../store/publications.ts';
import { optional, refuse } from './field.ts';
import { choiceOf, ID, PARTITION } from './field-kinds.ts';
import { type LakeContext, type LakeOperation, lakeOperation, read } from './lake-operation.ts';
import {
  ANY_DATASET_ID,
  ANY_PUBLICATION_ID,
  differenceView,
  existingPublication,
  limitField,
  PUBLICATION_DIFF,
  PUBLICATION_ID,
  PUBLICATION_PAGE,
  PUBLICATION_RECORD,
  recordView,
  summaryView,
} from './publication-answers.ts';

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
