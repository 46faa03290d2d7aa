/** Fields of the operations on publications, and what is the same of several. */
import { ApiError } from '../base/errors.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import type { PublicationRecord } from '../store/publications.ts';
import { optional, refuse, required } from './field.ts';
import { DATASET, ID, pageLimit, REASON } from './field-kinds.ts';
import type { LakeAct, LakeContext } from './lake-operation.ts';

const HELP = 'Id of the publication';
const OPTION = { name: 'publication', valueName: 'ID', description: 'id of the publication' };

export const PUBLICATION_ID = required(ID, HELP, OPTION);
export const ANY_PUBLICATION_ID = optional(ID, HELP, OPTION);

const DATASET_OPTION = {
  name: 'dataset',
  valueName: 'ID_OR_TEXT_ID',
  description: 'id or text id of the dataset',
};
export const DATASET_ID = required(DATASET, 'Id or text id of the dataset', DATASET_OPTION);
export const ANY_DATASET_ID = optional(DATASET, 'Id or text id of a dataset', DATASET_OPTION);

const REASON_OPTION = { name: 'reason', valueName: 'TEXT', description: 'why, for the ledger' };
export const REASON_FIELD = optional(REASON, 'Why, for the ledger', REASON_OPTION);
export const REQUIRED_REASON = required(REASON, 'Why, for the ledger', REASON_OPTION);

export function limitField(rows: number, max: number, what: string) {
  return optional(pageLimit(max), `Maximum number of ${what}; default: ${rows}`, {
    name: 'limit',
    valueName: 'N',
    description: `show at most N ${what} (default: ${rows})`,
  });
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
