/** Reads further datasets that an answer needs, within the caller's rules. */
import { ApiError } from '../base/errors.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import type { Operator } from '../engine/operators.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { rulesWithColumns } from '../plan/column-rights.ts';
import { planBulk } from '../plan/plan-bulk.ts';
import { type DataRequest, EVERYTHING, type RequestFilter } from '../request/data-request.ts';
import type { AccessRule } from '../store/access-rules.ts';
import { planRequest, recheck } from './plan-request.ts';
import { accountOf, inTurn, type Reader, type ReaderNow, requireRules } from './reader.ts';

/** Which rows of a dataset are read: by default all of the current version. */
export type RowsQuestion = Partial<Pick<DataRequest, 'filters' | 'version' | 'period'>> & {
  readonly columns: readonly string[];
};

/** A condition on a column, with values as they are written in requests. */
export function filterOf(
  column: string,
  operator: Operator,
  ...texts: readonly string[]
): RequestFilter {
  const name = operator === 'eq' ? column : `${column}.${operator}`;
  return { name, column, operator, texts };
}

/**
 * An ApiError 'forbidden' where the rules let none read all columns: the caller named none of them.
 */
function requireColumns(
  reader: ReaderNow,
  dataset: Dataset,
  { columns, filters = [] }: RowsQuestion,
): void {
  const names = [...columns, ...filters.map(({ column }) => column)];
  const rules = requireRules(reader.services.store, accountOf(reader).accountId, dataset);
  if (rulesWithColumns(dataset, rules, names).length > 0) return;
  throw new ApiError(
    'forbidden',
    `The account may not read all that this needs of ${dataset.name}`,
  );
}

/** Plans the reading. Rejects with an ApiError as `planRequest` does, and `requireColumns`. */
export async function planReading(reader: ReaderNow, dataset: Dataset, question: RowsQuestion) {
  requireColumns(reader, dataset, question);
  const { group, segment } = dataset;
  const request: DataRequest = { ...EVERYTHING, group, segment, ...question };
  return await planRequest(reader, { dataset, request, planAsked: planBulk });
}

/** A dataset by its text id; an ApiError 'not found' where the server does not offer it. */
export function datasetFor(catalog: Catalog, textId: string, use: string): Dataset {
  const dataset = catalog.byTextId(textId);
  if (dataset) return dataset;
  throw new ApiError('not found', `This server has no dataset ${textId}, ${use}`);
}

/** The plan of the turn, and what has been read by it. */
interface Turn {
  readonly plan: QueryPlan;
  readonly rules: readonly AccessRule[];
  /** Nothing is read before the first batch is asked for. */
  readonly batches: AsyncIterable<ColumnBatch>;
}

export interface DatasetReading {
  readonly plan: QueryPlan;
  readonly rules: readonly AccessRule[];
  /** Takes the rows in the account's turn, by the rules of that moment. */
  inTurn<T>(take: (turn: Turn) => Promise<T>): Promise<T>;
}

/** Rejects with an ApiError where the caller may not read the dataset, or not so. */
export async function readDataset(
  reader: Reader,
  dataset: Dataset,
  question: RowsQuestion,
): Promise<DatasetReading> {
  const planned = await planReading(reader, dataset, question);
  return {
    plan: planned.plan,
    rules: planned.rules,
    inTurn: (take) =>
      inTurn(reader, planned.accountId, async (signal) => {
        const { plan, rules } = await recheck(reader, planned);
        return await take({ plan, rules, batches: reader.services.engine.scan(plan, signal) });
      }),
  };
}
