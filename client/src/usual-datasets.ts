/** The datasets of ticks, bars and daily values, and the columns that they are asked by. */
import { TicklakeError } from './errors.ts';
import type { Asked } from './query.ts';
import { type FilterValue, identifierColumns, type Where } from './request.ts';
import type { DatasetList, QueryForm } from './types.ts';

export type Kind = 'ticks' | 'bars' | 'daily';
export type Market = 'equity' | 'option' | 'future';

/** By text ids: the first that the account may read. */
const DATASETS: Readonly<Record<Kind, Readonly<Partial<Record<Market, readonly string[]>>>>> = {
  ticks: {
    equity: ['eq_taq', 'eq_trades', 'eq_otc_taq'],
    option: ['opt_tanq', 'opt_trades'],
    future: ['fut_taq', 'fut_trades', 'fut_mult_depth'],
  },
  bars: {
    equity: ['eq_trades_1min', 'eq_taq_1min', 'eq_taq_1min_ext'],
    option: ['opt_trades_1min'],
    future: ['fut_trades_1min', 'fut_taq_1min'],
  },
  daily: {
    equity: ['eq_daily_ohlc', 'eq_taq_daily'],
    option: ['opt_greeks_daily'],
    future: ['fut_daily'],
  },
};

/** The text id of a dataset, and what to say of it where it is not the first choice. */
export interface Chosen {
  readonly name: string;
  readonly note: string | null;
}

/** The dataset that a word means for an account. Throws where there is none. */
export function usualDataset(kind: Kind, market: Market, mine: DatasetList): Chosen {
  const names = DATASETS[kind][market];
  if (!names) {
    const markets = Object.keys(DATASETS[kind]).join(', ');
    throw new TicklakeError(`'market' of ${kind} has to be one of ${markets}, not '${market}'`);
  }
  const ids = mine.map(({ dataset_text_id: id }) => id);
  const found = names.find((name) => ids.includes(name));
  const note = `'${kind}' reads ${found}, because the account may not read ${names[0]}`;
  if (found) return { name: found, note: found === names[0] ? null : note };
  throw new TicklakeError(
    `The account may read none of ${names.join(', ')}; name one of its datasets as 'dataset': ` +
      (ids.join(', ') || 'there are none'),
  );
}

export type Id = string | number | bigint;
/** One day, a range with both ends included, of which one may be left out, or a list of days. */
export type Dates = string | { readonly from?: string; readonly to?: string } | readonly string[];

/** Digits alone name the integer column, if there is one, as they do in paths. */
function identifierFilter(form: QueryForm, ids: Id | readonly Id[]): Where {
  const values = [ids].flat();
  const known = identifierColumns(form);
  const columnOf = (type: string) =>
    known.find((name) =>
      form.columns.some((each) => each.name === name && each.data_type === type),
    );
  const hasDigits = values.every((value) => /^\d+$/.test(String(value)));
  const column = (hasDigits ? columnOf('integer') : null) ?? columnOf('string');
  if (!column) throw new TicklakeError(`${form.dataset_id} is not asked by identifiers`);
  return { [column]: values.length === 1 ? (values[0] as FilterValue) : values };
}

function dateFilter({ date_column: column, dataset_id: id }: QueryForm, dates: Dates): Where {
  if (column === null) throw new TicklakeError(`${id} is not asked by dates`);
  if (typeof dates === 'string' || Array.isArray(dates)) return { [column]: dates };
  const { from, to } = dates as { from?: string; to?: string };
  return {
    ...(from === undefined ? {} : { [`${column}.ge`]: from }),
    ...(to === undefined ? {} : { [`${column}.le`]: to }),
  };
}

/** A look-back period that covers a range of dates; undefined if the default does. */
function periodOver(dates: Dates | undefined, today: string): string | undefined {
  if (dates === undefined || typeof dates === 'string') return undefined;
  const [first, last] = Array.isArray(dates)
    ? [dates.toSorted()[0], dates.toSorted().at(-1)]
    : [(dates as { from?: string }).from, (dates as { to?: string }).to ?? today];
  const days = (Date.parse(last ?? '') - Date.parse(first ?? '')) / 86_400_000;
  // The market may be a day ahead of UTC, and the bound is exclusive.
  return Number.isFinite(days) ? `${Math.ceil((Math.max(days, 0) + 3) / 365)}Y` : '200Y';
}

/** A dataset that is asked for identifiers and days, whatever its columns are called. */
export function askedFor(
  kind: Kind,
  form: (signal?: AbortSignal) => Promise<QueryForm>,
  ids: Id | readonly Id[] | undefined,
  dates: Dates | undefined,
): Asked & { note: string | null } {
  return {
    name: kind,
    form,
    note: null,
    period: periodOver(dates, new Date().toISOString().slice(0, 10)),
    filters: (known) => ({
      ...(ids === undefined ? {} : identifierFilter(known, ids)),
      ...(dates === undefined ? {} : dateFilter(known, dates)),
    }),
  };
}
