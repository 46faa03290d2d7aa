/**
 * Plans that compare two states of a dataset: they find the rows of the first that the second has
 * no more, and those that it has beside them, as often as each. Equal rows are equal in every
 * column.
 */
import type { Column, Dataset } from '../catalog/dataset.ts';
import type { Part } from './part.ts';
import type { QueryPlan } from './query-plan.ts';

/** A plan for the rows that changed: those of `parts` are the later state. */
export interface ComparingPlan extends QueryPlan {
  /** Parts of the earlier state, without those that hold what one of `parts` holds. */
  readonly comparedParts: readonly Part[];
}

export function isComparing(plan: QueryPlan): plan is ComparingPlan {
  return plan.comparedParts !== undefined;
}

/** In the order in which equal keys come. */
export const CHANGES = ['removed', 'added'] as const;
export type Change = (typeof CHANGES)[number];

/** First column of a comparing plan. A dataset may have one of that name. */
export function changeColumnOf({ columnByName }: Dataset): Column {
  const name = columnByName.has('Change') ? 'RowChange' : 'Change';
  return { name, dataType: 'string', description: CHANGE_DESCRIPTION, fractionDigits: 0 };
}

const CHANGE_DESCRIPTION =
  'removed: a row of the earlier version that the later one does not have; added: the other way round';

/**
 * The columns by which changed rows are ordered after the sort that was asked for and the change:
 * the natural order, then all others, so that only equal rows tie.
 */
export function changeOrderOf({ naturalOrder, columns, columnByName }: Dataset): {
  readonly natural: readonly Column[];
  readonly others: readonly Column[];
} {
  const natural = naturalOrder.map((name) => columnByName.get(name) as Column);
  return { natural, others: columns.filter((column) => !natural.includes(column)) };
}
