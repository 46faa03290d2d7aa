/** The question of the form -> what a chart of bars asks for a span of days. */
import { storedInterval } from './bar-range';
import type { ChartInterval } from './chart-choices';
import type { CandlePlan, ChartPlan } from './chart-plan';
import { type DatasetShape, rangeColumn } from './dataset-shape';
import type { ExplorerRequest, RequestParameter } from './explorer-request';
import { frontContract } from './futures-symbols';
import { periodOver } from './look-back';

export type BarPlan = ChartPlan & CandlePlan;

/** So many can be told apart by their colours. */
export const SYMBOLS_MAX = 6;

export interface BarSpan {
  /** Days, both included. */
  readonly first: string;
  readonly last: string;
  readonly interval: ChartInterval;
}

/** What the chart decides itself. */
const OWN_FIELDS: readonly RequestParameter['field'][] = [
  'from',
  'to',
  'period',
  'columns',
  'sort',
];

/** The plan, where rows are bars of instruments that the identifier names by itself; else null. */
export function barPlan(plan: ChartPlan | null, shape: DatasetShape): BarPlan | null {
  if (plan?.kind !== 'candles' || rangeColumn(shape) === null) return null;
  return plan.instrument.length === 1 ? plan : null;
}

/** The identifiers that the request names. */
export function symbolsOf(
  { segments, parameters }: ExplorerRequest,
  shape: DatasetShape,
): readonly string[] {
  const inPath = shape.path_parameters.indexOf('identifier');
  // Group and segment come before what is given in the path.
  if (inPath !== -1) return segments.slice(inPath + 2, inPath + 3).filter(Boolean);
  return parameters
    .filter(({ field }) => field === 'identifier')
    .flatMap(({ value }) => value.split(','));
}

/** A root is drawn as its nearest delivery of each day: bars of all its contracts are no series. */
export function withFrontContract(
  request: ExplorerRequest,
  plan: BarPlan,
  { root_column: root }: DatasetShape,
): ExplorerRequest {
  const [instrument = ''] = plan.instrument;
  const isRoots = ({ name, field }: RequestParameter) =>
    field === 'identifier' && name.split('.')[0] === root;
  const parameters = request.parameters.map((parameter) => {
    if (!isRoots(parameter)) return parameter;
    const fronts = parameter.value.split(',').map(frontContract);
    return { ...parameter, name: instrument, value: fronts[0]! };
  });
  return { ...request, parameters };
}

/** The columns that the request filters. */
export function filteredColumns({ parameters }: ExplorerRequest): readonly string[] {
  return parameters
    .filter(({ field }) => field?.startsWith('filter-'))
    .map(({ name }) => name.split('.')[0]!);
}

/** The columns that bars are drawn from. */
function barColumns(plan: BarPlan, shape: DatasetShape): string[] {
  const { instrument, time, open, high, low, close, volume } = plan;
  const names = [shape.date_column, ...instrument, time, open, high, low, close, volume];
  return [...new Set(names.filter((name) => name !== null))];
}

export function barRequest(
  request: ExplorerRequest,
  plan: BarPlan,
  shape: DatasetShape,
  { first, last, interval }: BarSpan,
): ExplorerRequest {
  const date = rangeColumn(shape);
  const own = (name: string, value: string) => ({ name, value, field: null });
  const period = periodOver(shape, first, last, last);
  return {
    segments: request.segments,
    parameters: [
      ...request.parameters.filter(({ field }) => !OWN_FIELDS.includes(field)),
      own(`${date}.ge`, first),
      own(`${date}.le`, last),
      ...(period === null ? [] : [own('period', period)]),
      own('columns', barColumns(plan, shape).join(',')),
      ...(interval === storedInterval(plan) ? [] : [own('interval', interval)]),
    ],
  };
}
