/** What requests for longer bars may name: columns that such bars have, and filters that choose stored bars. */
import { ADJUSTMENT_COLUMNS } from '@ticklake/market/adjustment.ts';
import type { Problem } from '../base/errors.ts';
import type { Column, Dataset } from '../catalog/dataset.ts';
import { intervalsOf } from '../catalog/interval.ts';
import type { DataRequest } from '../request/data-request.ts';
import { alternatives, problemAt } from '../request/request-problem.ts';
import { columnsOf } from './dataset-columns.ts';

/** Names of the columns that say what a bar is about, and when. */
function keysOf({ dateColumn, intervals }: Dataset): Set<string> {
  const { time = null, by = [] } = intervals ?? {};
  return new Set([dateColumn, time, ...by].filter((name) => name !== null));
}

/** The columns that longer bars have, in the order of the dataset. */
export function barColumns(dataset: Dataset): readonly Column[] {
  const keys = keysOf(dataset);
  return dataset.columns.filter(
    ({ name }) => keys.has(name) || dataset.intervals?.columns.has(name),
  );
}

/** Columns and filters that the dataset has, but not its longer bars. */
function unfitNames(
  names: readonly string[],
  dataset: Dataset,
  fit: ReadonlySet<string>,
): string[] {
  return [...new Set(names)].filter((name) => dataset.columnByName.has(name) && !fit.has(name));
}

/** `names` are those that the parameter gives. */
function findUnfitColumns(
  parameter: 'adjustment_factors' | 'columns' | 'sort',
  names: readonly string[],
  dataset: Dataset,
): Problem | null {
  const fit = new Set(barColumns(dataset).map(({ name }) => name));
  const unfit = unfitNames(names, dataset, fit);
  if (unfit.length === 0) return null;
  const msg =
    `Bars of an interval do not have the following columns: ${unfit.join(', ')}; ` +
    `they have ${[...fit].join(', ')}`;
  return problemAt(['query', parameter], 'unfit_column', msg, unfit[0], { columns: [...fit] });
}

/** A filter on anything else could mean the stored bars as well as the longer ones. */
function findUnfitFilters({ filters }: DataRequest, dataset: Dataset): Problem[] {
  const keys = keysOf(dataset);
  const unfit = filters.filter(({ column }) => unfitNames([column], dataset, keys).length > 0);
  return unfit.map(({ name, texts }) => {
    const fit = columnsOf(dataset, [...keys]).map((column) => column.name);
    const msg = `With interval, filters should be on ${alternatives(fit)}`;
    return problemAt(['query', name], 'unfit_filter', msg, texts.join(','), { columns: fit });
  });
}

function findUnfitInterval({ interval }: DataRequest, dataset: Dataset): Problem | null {
  const legal = intervalsOf(dataset);
  if (interval === null || legal.includes(interval)) return null;
  const expected = alternatives(legal);
  const msg = `Input should be ${expected} for this dataset`;
  return problemAt(['query', 'interval'], 'enum', msg, interval, { expected });
}

/** The columns of a request by the parameter that each comes from. */
function columnsAsked({ columns, adjustment }: DataRequest) {
  const factors = new Set<string>(adjustment.withFactors ? ADJUSTMENT_COLUMNS : []);
  const { ofFactors = [], listed = [] } = Object.groupBy(columns ?? [], (name) =>
    factors.has(name) ? 'ofFactors' : 'listed',
  );
  return { ofFactors, listed };
}

/** What a request for longer bars may not ask for; nothing without `interval`, or where rows are no bars. */
export function findUnfitForBars(request: DataRequest, dataset: Dataset): (Problem | null)[] {
  if (request.interval === null || dataset.intervals === null) return [];
  const { ofFactors, listed } = columnsAsked(request);
  const sorted = request.sort.map(({ column }) => column);
  return [
    findUnfitInterval(request, dataset),
    findUnfitColumns('columns', listed, dataset),
    findUnfitColumns('adjustment_factors', ofFactors, dataset),
    findUnfitColumns('sort', sorted, dataset),
    ...findUnfitFilters(request, dataset),
  ];
}
