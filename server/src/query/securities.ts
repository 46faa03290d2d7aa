/**
 * The securities and option contracts that a caller may read, from the masters as they are
 * published now.
 */
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { commonDataset, rulesWithColumns } from '../plan/column-rights.ts';
import { earlierOf, laterOf } from '../request/literals.ts';
import { problemAt } from '../request/request-problem.ts';
import type { RuleTerms } from '../store/access-rules.ts';
import {
  CONTRACT_COLUMNS,
  CONTRACT_MASTER,
  type Contract,
  contractsOf,
  OSI_LEGAL,
  storedOsiSymbol,
} from '../symbology/option-contract.ts';
import {
  endOf,
  periodColumn,
  SECURITY_MASTER,
  securitiesOf,
  TICKER_COLUMNS,
} from '../symbology/security.ts';
import type { AskedDates } from '../symbology/symbol-table.ts';
import type { MadeOfSecurities } from '../symbology/symbol-tables.ts';
import { datasetFor, filterOf, readDataset } from './read-dataset.ts';
import { accountOf, countScan, type Reader, requireRules } from './reader.ts';

/** Rows of the security master that the caller may read, and what is made of them. */
export interface PlannedMaster<T> {
  readonly plan: QueryPlan;
  read(): Promise<T>;
}

/**
 * The columns of these that may be read by the rules which say who had a ticker when: all where
 * there are no such rules. Values whose periods are hidden are left out, or they would seem to hold
 * always.
 */
function masterColumns(
  dataset: Dataset,
  rules: readonly RuleTerms[],
  names: readonly string[],
): readonly string[] {
  const { columnByName: all } = dataset;
  const needed = TICKER_COLUMNS.filter((name) => all.has(name));
  const { columnByName } = commonDataset(dataset, rulesWithColumns(dataset, rules, needed));
  const isHidden = (name: string) => all.has(name) && !columnByName.has(name);
  return names.filter((name) => columnByName.has(name) && !isHidden(periodColumn(name)));
}

/**
 * Rejects with an ApiError: 'not found' without such a dataset, 'forbidden' without rules for it or
 * where none lets the periods of tickers through. Uncached securities are read in the account's
 * turn.
 */
export async function planMaster<T extends {}>(
  reader: Reader,
  made: MadeOfSecurities<T>,
): Promise<PlannedMaster<T>> {
  const dataset = datasetFor(reader.services.catalog, SECURITY_MASTER, 'which names securities');
  const rules = requireRules(reader.services.store, accountOf(reader).accountId, dataset);
  const columns = masterColumns(dataset, rules, made.columns);
  const { plan, inTurn } = await readDataset(reader, dataset, { columns });
  const readInTurn = () =>
    inTurn(async ({ plan: current, batches }) => {
      const known = made.get(current);
      if (known) return known;
      const read = await Array.fromAsync(batches, (batch) => securitiesOf(current.columns, batch));
      return await made.put(current, read.flat());
    });
  return { plan, read: async () => made.get(plan) ?? (await readInTurn()) };
}

/** Contracts are too many to be kept, and are looked up. */
async function findContracts(reader: Reader, osiSymbols: readonly string[]) {
  const dataset = datasetFor(reader.services.catalog, CONTRACT_MASTER, 'which names contracts');
  const reading = await readDataset(reader, dataset, {
    columns: CONTRACT_COLUMNS,
    filters: [filterOf('OsiSymbol', 'in', ...osiSymbols)],
  });
  reader.tally.datasetId = dataset.datasetId;
  reader.tally.datasetVersion = reading.plan.version;
  return await reading.inTurn(async ({ plan, batches }) => {
    countScan(reader, plan);
    const found = await Array.fromAsync(batches, (batch) => contractsOf(plan.columns, batch));
    return { contracts: found.flat(), version: plan.version };
  });
}

/** A contract under its underlying's ticker, cut to the dates asked for. */
function contractView(contract: Contract, asked: AskedDates) {
  const start = laterOf(contract.start ?? asked.start, asked.start);
  const end = earlierOf(contract.end ?? asked.end, asked.end);
  if (contract.underlying === null || start > end) return [];
  return [
    {
      ...{ start_date: start, end_date: endOf(end), ticker: contract.underlying },
      ...{ asid: contract.asid, sec_id: null, name: null, primary_exchange: null },
      ...{ security_description: null, list_status: contract.listStatus, figi: null, isin: null },
      ...{ cusip: null, sedol: null, previous: null, next: null },
    },
  ];
}

/** Throws an ApiError 'invalid' that names each text that is no such symbol. */
function storedOsiSymbols(symbols: readonly string[]): string[] {
  const problems = symbols
    .filter((symbol) => storedOsiSymbol(symbol) === null)
    .map((symbol) => {
      const msg = `'symbols' should each be ${OSI_LEGAL}; '${symbol}' is not`;
      return problemAt(['query', 'symbols'], 'illegal_value', msg, symbol);
    });
  if (problems.length > 0) throw new ApiError('invalid', problems);
  return symbols.map((symbol) => storedOsiSymbol(symbol) as string);
}

/**
 * Rejects with an ApiError: 'not found' without such a dataset, 'forbidden' without rules for it,
 * 'invalid'.
 */
export async function resolveContracts(
  reader: Reader,
  symbols: readonly string[],
  asked: AskedDates,
) {
  const stored = storedOsiSymbols(symbols);
  const { contracts, version } = await findContracts(reader, stored);
  const bySymbol = Map.groupBy(contracts, ({ osiSymbol }) => osiSymbol);
  const resolved = symbols.map((symbol, at) => {
    const found = bySymbol.get(stored[at] as string) ?? [];
    return { symbol, intervals: found.flatMap((each) => contractView(each, asked)) };
  });
  return { resolved, version };
}
