/** Rows of dates put together of stored bars, each column by the rule that the definition of the bars gives it. */
import type { BarRules } from '../catalog/bar-rules.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import { barRows, CombinedColumns, type RowMaker } from './bar-rows.ts';
import { type Computation, type ComputationInput, plainComputation } from './computation.ts';

const RULE_VERSION = 2;

/** Every column that both have. */
function commonColumns({ columns }: Dataset, rules: BarRules): RowMaker {
  const names = columns.map(({ name }) => name).filter((name) => rules.columns.has(name));
  const combined = new CombinedColumns(
    rules,
    Object.fromEntries(names.map((name) => [name, name])),
  );
  const others = names.flatMap((name) => {
    const rule = rules.columns.get(name);
    return rule && 'other' in rule ? [rule.other] : [];
  });
  return {
    columns: [...names, ...others],
    begin: (vectors) => combined.begin(vectors),
    add: (first, end) => combined.add(first, end),
    take: (label) => combined.take(label),
  };
}

/** A row for each date and contract of the bars, in their natural order. */
export async function* barRowsByDate(
  input: ComputationInput,
  bars: Dataset | undefined,
): AsyncIterable<ColumnBatch> {
  if (!bars?.intervals) return;
  yield* barRows(input, bars, bars.intervals, commonColumns(input.output, bars.intervals));
}

export const BARS_BY_DATE: Computation = plainComputation(RULE_VERSION, (input) =>
  barRowsByDate(input, input.inputs[0]),
);
