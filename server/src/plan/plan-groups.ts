/**
 * Plans a request for groups of rows: the rows are those of the same request for rows, and what is
 * computed of them is bound to the columns that these have.
 */
import { ApiError, type Problem } from '../base/errors.ts';
import type { Column, Dataset } from '../catalog/dataset.ts';
import {
  GROUP_INTERVALS,
  GROUPED_TYPES,
  type GroupInterval,
  type GroupKey,
  type Measure,
  ruleOf,
} from '../engine/groups.ts';
import type { GroupedPlan } from '../engine/query-plan.ts';
import { type AskedGroups, type AskedMeasure, measureText } from '../request/aggregate-request.ts';
import { alternatives, problemAt } from '../request/request-problem.ts';
import { withinColumns } from './column-rights.ts';
import { type NamedColumn, namedColumns, refuseParameters } from './conditions.ts';
import { type PlanInput, planQuestion, questionOf } from './plan-query.ts';

/** Parameters of data requests that say what groups say otherwise. */
export const INAPPLICABLE_TO_GROUPS: readonly string[] = [
  ...['sort', 'columns', 'adjustment_factors', 'count'],
];

type Parameter = keyof AskedGroups | 'select';

/** Binds names to the columns of the rows, and gathers what does not fit. */
class GroupBinder {
  readonly problems: Problem[] = [];
  readonly #dataset: Dataset;
  readonly #columns: ReadonlyMap<string, Column>;

  constructor(dataset: Dataset, columns: readonly Column[]) {
    this.#dataset = dataset;
    this.#columns = new Map(columns.map((column) => [column.name, column]));
  }

  #refuse(parameter: Parameter, type: string, msg: string, input: string, ctx = {}): null {
    this.problems.push(problemAt(['query', parameter], type, msg, input, ctx));
    return null;
  }

  /** Null: there is none of the name, or of those types. */
  #column(parameter: Parameter, entry: string, name: string, types: readonly string[]) {
    const column = this.#columns.get(name);
    if (!column) {
      const msg = `The following columns do not exist in the dataset: ${name}`;
      return this.#refuse(parameter, 'unknown_column', msg, entry, { columns: [name] });
    }
    if (types.includes(column.dataType)) return column;
    const expected = alternatives(types);
    const msg = `'${entry}' needs a column of type ${expected}; '${name}' is of type ${column.dataType}`;
    return this.#refuse(parameter, 'unfit_column', msg, entry, { expected });
  }

  key(name: string): GroupKey[] {
    const column = this.#column('by', name, name, GROUPED_TYPES);
    return column ? [{ column }] : [];
  }

  /** Groups within a day go by the first time of the rows, others by their date. */
  time(interval: GroupInterval | null): GroupKey[] {
    if (interval === null) return [];
    const isOfDates = typeof GROUP_INTERVALS[interval] === 'string';
    const column = isOfDates
      ? this.#columns.get(this.#dataset.dateColumn ?? '')
      : [...this.#columns.values()].find(({ dataType }) => dataType === 'date-time');
    if (column) return [{ column, interval }];
    const msg = `'interval' needs a ${isOfDates ? 'date' : 'time'}, which rows here do not have`;
    this.#refuse('interval', 'inapplicable_parameter', msg, interval);
    return [];
  }

  measure(asked: AskedMeasure): Measure[] {
    const { kind, columns: names, share } = asked;
    const { dataTypes } = ruleOf(kind);
    const columns = names.flatMap(
      (name) => this.#column('select', measureText(asked), name, dataTypes) ?? [],
    );
    if (columns.length < names.length) return [];
    return [{ kind, columns, ...(share !== undefined && { share }) }];
  }

  refuseTwice(keys: readonly GroupKey[]): void {
    const twice = keys.find(({ column }, k) => keys.findIndex((key) => key.column === column) < k);
    if (!twice) return;
    const { name } = twice.column;
    const msg = `'by' should not have '${name}', which 'interval' groups by`;
    this.#refuse('by', 'duplicate_column', msg, name);
  }
}

/** The column of a measure in the answer. */
function columnOfMeasure(measure: Measure): Column {
  const { kind, columns } = measure;
  const [column = { dataType: 'integer', fractionDigits: 0 } as Column] = columns;
  const { dataType, fractionDigits, precision, scale } = ruleOf(kind).typeOf(column);
  const name = measureText({ ...measure, columns: columns.map((each) => each.name) });
  return {
    ...{ name, dataType, fractionDigits, description: '' },
    ...(precision !== undefined && scale !== undefined && { precision, scale }),
  };
}

/** Rejects as `questionOf` throws, and with all that does not fit the columns of the rows. */
export async function planGroups(input: PlanInput, asked: AskedGroups): Promise<GroupedPlan> {
  const refused = refuseParameters(input.request, INAPPLICABLE_TO_GROUPS, 'aggregates');
  const named: NamedColumn[] = [
    ...namedColumns({ ...input.request, columns: null }),
    ...asked.by.map((name): NamedColumn => [name, 'by']),
    ...asked.measures.flatMap(({ columns }) =>
      columns.map((name): NamedColumn => [name, 'select']),
    ),
  ];
  const { rules, leavesOutRules } = withinColumns(input, named);
  const question = questionOf({ ...input, rules, leavesOutRules }, refused);
  const binder = new GroupBinder(question.dataset, question.columns);
  const keys = [...asked.by.flatMap((name) => binder.key(name)), ...binder.time(asked.interval)];
  const measures = asked.measures.flatMap((each) => binder.measure(each));
  binder.refuseTwice(keys);
  if (binder.problems.length > 0) throw new ApiError('invalid', binder.problems);
  const shown = [...keys.map(({ column }) => column), ...measures.map(columnOfMeasure)];
  const plan = await planQuestion({ ...question, columns: shown }, input.snapshot);
  return { ...plan, groups: { keys, measures } };
}
