/** The contracts that a continuous one stands for, by the daily values that the caller may read. */
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { ColumnBatch, ColumnVector } from '../engine/columns.ts';
import { dateOfDays } from '../engine/columns.ts';
import { doubleReader, textReader } from '../engine/gathered-columns.ts';
import { rowsFingerprint } from '../engine/plan-fingerprint.ts';
import type { QueryPlan, Rolls } from '../engine/query-plan.ts';
import { type AskedContract, requireWholeRoot } from '../plan/continuous-plan.ts';
import { type DataRequest, parseDataRequest } from '../request/data-request.ts';
import { problemAt } from '../request/request-problem.ts';
import { KNOWN_WEEKDAYS } from '../symbology/continuous-contract.ts';
import { type ContractDay, type RollSchedule, rollSchedule } from '../symbology/roll-schedule.ts';
import type { KeyedExchange } from './endpoint.ts';
import { inTurn } from './in-turn.ts';
import { BULK, planRequest } from './plan-request.ts';
import { recheck } from './recheck.ts';

/** The dataset that ranks contracts, by its text id. */
const RANKING = 'fut_daily';
const RANKING_COLUMNS = ['TradeDate', 'Ticker', 'TotalQuantity', 'OpenInterest'];

/** Which version of the ranking is read, as a request says. */
export type AskedRanking = Pick<DataRequest, 'version' | 'rollsVersion'>;

/** Throws an ApiError 'not found' where the server does not offer it. */
function rankingDataset({ services }: KeyedExchange): Dataset {
  const dataset = services.catalog.byTextId(RANKING);
  if (dataset) return dataset;
  throw new ApiError('not found', `This server has no dataset ${RANKING}, which ranks contracts`);
}

function versionText({ version, rollsVersion }: AskedRanking): string {
  if (rollsVersion !== null) return `&dataset_version=${rollsVersion}`;
  return version && 'asOf' in version ? `&as_of=${encodeURIComponent(version.asOf)}` : '';
}

async function planDays(
  exchange: Pick<KeyedExchange, 'services' | 'caller'>,
  { group, segment }: Dataset,
  root: string,
  asked: AskedRanking,
) {
  const columns = RANKING_COLUMNS.join(',');
  const queryString = `BaseSymbol=${root}&columns=${columns}${versionText(asked)}`;
  const input = { group, segment, pathParameters: [], queryString };
  return await planRequest(exchange, parseDataRequest(input, exchange.services.config), BULK);
}

function* contractDays({ columns, rowCount }: ColumnBatch): Iterable<ContractDay> {
  const [dates, tickers, quantities, interests] = columns as [
    ...[ColumnVector, ColumnVector, ColumnVector, ColumnVector],
  ];
  const [tickerAt, quantityAt] = [textReader(tickers), doubleReader(quantities)];
  const interestAt = doubleReader(interests);
  for (let row = 0; row < rowCount; row++) {
    const [quantity, openInterest] = [quantityAt(row), interestAt(row)];
    yield {
      date: dateOfDays(dates.values[row] as number),
      ticker: tickerAt(row) ?? '',
      quantity: Number.isNaN(quantity) ? 0 : quantity,
      openInterest: Number.isNaN(openInterest) ? null : openInterest,
    };
  }
}

async function readDays({ services }: KeyedExchange, plan: QueryPlan, signal: AbortSignal) {
  const days: ContractDay[] = [];
  for await (const batch of services.engine.scan(plan, signal)) days.push(...contractDays(batch));
  return days;
}

/** Throws an ApiError 'invalid' where a symbol has no contract on any date. */
function requireSpans(
  { symbol, root, place }: AskedContract,
  { name }: Dataset,
  { spans, gaps, rankedMax }: RollSchedule,
): void {
  if (spans.length > 0) return;
  const refuse = (type: string, msg: string, ctx?: Readonly<Record<string, number>>) =>
    new ApiError('invalid', [problemAt(place, type, msg, symbol, ctx)]);
  if (gaps.length === 0) {
    throw refuse('unknown_root', `'${root}' has no contracts that you can read in ${name}`);
  }
  if (rankedMax > 0) {
    const most = `'${root}' never has more than ${rankedMax} ranked contracts at once in ${name}`;
    const last = rankedMax - 1;
    throw refuse('unknown_rank', `${most}; the last rank is ${last}`, { rank_max: last });
  }
  const figures = gaps[0]?.reason === 'no_volume' ? 'volume' : 'open interest';
  const msg = `'${symbol}' has no contract on any date: ${name} has no ${figures} of '${root}' from the ${KNOWN_WEEKDAYS} weekdays before one`;
  throw refuse('no_figures', msg);
}

/**
 * Rejects with an ApiError: 'not found' without such a dataset, or without anything published in it; 'forbidden' where
 * the caller may not read all contracts of the root; 'invalid' where none ever has the rank. What is not known yet is read in the
 * account's turn.
 */
export async function findRolls(
  exchange: KeyedExchange,
  contract: AskedContract,
  asked: AskedRanking,
): Promise<Rolls> {
  const { known } = exchange.services.rollSchedules;
  const ranking = rankingDataset(exchange);
  const { symbol, root } = contract;
  const planned = await planDays(exchange, ranking, root, asked);
  requireWholeRoot(ranking, planned.rules, root);
  const { version } = planned.plan;
  if (version === null) {
    throw new ApiError('not found', `${ranking.name}, which ranks contracts, is not published yet`);
  }
  const keyOf = (plan: QueryPlan) => `${symbol} ${rowsFingerprint(plan)}`;
  const readInTurn = () =>
    inTurn(exchange, planned.identityId, async (signal): Promise<RollSchedule> => {
      const { plan, rules } = await recheck(exchange, planned, (again) =>
        planDays(again, ranking, root, asked),
      );
      requireWholeRoot(ranking, rules, root);
      const schedule = rollSchedule(contract, await readDays(exchange, plan, signal));
      known.set(keyOf(plan), schedule);
      return schedule;
    });
  const schedule = known.get(keyOf(planned.plan)) ?? (await readInTurn());
  requireSpans(contract, ranking, schedule);
  const { spans, gaps } = schedule;
  return { symbol, root, ranking, version, spans, gaps };
}
