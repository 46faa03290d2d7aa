/**
 * The columns that access rules name. A rule lets through its rows with its columns. So a request
 * is answered by the rules that have every column it names, with the columns that these have in
 * common, and no value is ever one that the rule of its row hides. Pure.
 */
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { keyColumnsOf, withVisibleColumns } from '../catalog/visible-columns.ts';
import type { DataRequest } from '../request/data-request.ts';
import { problemAt } from '../request/request-problem.ts';
import type { RuleTerms } from '../store/access-rules.ts';
import { type NamedColumn, namedColumns } from './conditions.ts';

type ColumnRule = Pick<RuleTerms, 'columns'>;

export const hidesColumns = ({ columns }: ColumnRule): boolean => columns != null;

function columnsOfRule(dataset: Dataset, { columns }: ColumnRule): ReadonlySet<string> {
  const every = dataset.columns.map(({ name }) => name);
  return new Set(columns ? [...columns, ...keyColumnsOf(dataset)] : every);
}

/** The rules that let each of the columns through. */
export function rulesWithColumns<Rule extends ColumnRule>(
  dataset: Dataset,
  rules: readonly Rule[],
  names: readonly string[],
): readonly Rule[] {
  return rules.filter((rule) => {
    const own = columnsOfRule(dataset, rule);
    return names.every((name) => own.has(name));
  });
}

/** The dataset with the columns that any of the rules has; without rules, as everybody sees it. */
export function visibleDataset(dataset: Dataset, rules: readonly ColumnRule[]): Dataset {
  if (!rules.some(hidesColumns)) return dataset;
  const all = rules.flatMap((rule) => [...columnsOfRule(dataset, rule)]);
  return withVisibleColumns(dataset, new Set(all));
}

/** The dataset with the columns that all rules have, which a request that names none gets. */
export function commonDataset(dataset: Dataset, rules: readonly ColumnRule[]): Dataset {
  if (!rules.some(hidesColumns)) return dataset;
  const sets = rules.map((rule) => columnsOfRule(dataset, rule));
  return withVisibleColumns(
    dataset,
    sets.reduce((common, each) => common.intersection(each)),
  );
}

interface RuledRequest {
  readonly request: DataRequest;
  readonly dataset: Dataset;
  readonly rules: readonly RuleTerms[];
  /** True: other rules of the account are left out, which hide columns that the request names. */
  readonly leavesOutRules?: boolean | undefined;
}

/** An ApiError 'invalid' that names columns which the account may read, but of no rows together. */
function notTogether(named: readonly NamedColumn[], common: Dataset): ApiError {
  const apart = named.filter(([name]) => !common.columnByName.has(name));
  const columns = [...new Set(apart.map(([name]) => name))];
  const [[name, parameter] = ['', '']] = apart;
  const msg = `No rule lets the account read these columns together: ${columns.join(', ')}`;
  const place = ['query', parameter] as const;
  return new ApiError('invalid', [problemAt(place, 'columns_apart', msg, name, { columns })]);
}

/**
 * The request by those of its rules that answer it, of the dataset as they have it in common. The
 * columns that it names are those `given`, absent: those of its parameters for rows. Throws an
 * ApiError 'invalid' where no rule has them all. What no rule has is found unknown later.
 */
export function withinColumns<T extends RuledRequest>(input: T, given?: readonly NamedColumn[]): T {
  const { request, dataset, rules } = input;
  const all = given ?? namedColumns(request);
  if (!rules.some(hidesColumns)) return input;
  const { columnByName } = visibleDataset(dataset, rules);
  const named = all.filter(([name]) => columnByName.has(name));
  const names = named.map(([name]) => name);
  const answering = rulesWithColumns(dataset, rules, names);
  if (answering.length === 0) throw notTogether(named, commonDataset(dataset, rules));
  const leavesOutRules = input.leavesOutRules || answering.length < rules.length;
  const common = commonDataset(dataset, answering);
  return { ...input, rules: answering, dataset: common, leavesOutRules };
}
