/** Option contracts by their OSI symbols, within the caller's rules: they are too many to be kept, and are looked up. */
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { earlierOf, laterOf } from '../request/calendar-date.ts';
import { parseDataRequest } from '../request/data-request.ts';
import { problemAt } from '../request/request-problem.ts';
import {
  CONTRACT_COLUMNS,
  CONTRACT_MASTER,
  type Contract,
  contractsOf,
  OSI_LEGAL,
  storedOsiSymbol,
} from '../symbology/osi-symbols.ts';
import type { AskedDates } from '../symbology/resolve-symbol.ts';
import { endOf } from '../symbology/security.ts';
import { countScan, type PlannedRequest } from './answer-page.ts';
import type { KeyedExchange } from './endpoint.ts';
import { inTurn } from './in-turn.ts';
import { BULK, planRequest } from './plan-request.ts';
import { recheck } from './recheck.ts';

/** Throws an ApiError 'not found' where the server does not offer it. */
function contractMaster({ services }: KeyedExchange): Dataset {
  const dataset = services.catalog.byTextId(CONTRACT_MASTER);
  if (dataset) return dataset;
  throw new ApiError(
    'not found',
    `This server has no dataset ${CONTRACT_MASTER}, which names contracts`,
  );
}

async function planContracts(
  exchange: Pick<KeyedExchange, 'services' | 'caller'>,
  { group, segment }: Dataset,
  osiSymbols: readonly string[],
): Promise<PlannedRequest> {
  const wanted = osiSymbols.map(encodeURIComponent).join(',');
  const queryString = `OsiSymbol.in=${wanted}&columns=${CONTRACT_COLUMNS.join(',')}`;
  const input = { group, segment, pathParameters: [], queryString };
  return await planRequest(exchange, parseDataRequest(input, exchange.services.config), BULK);
}

async function findContracts(
  exchange: KeyedExchange,
  osiSymbols: readonly string[],
): Promise<{ contracts: readonly Contract[]; version: number | null }> {
  const { services, tally } = exchange;
  const dataset = contractMaster(exchange);
  const asked = await planContracts(exchange, dataset, osiSymbols);
  const { datasetId } = dataset;
  Object.assign(tally, { datasetId, datasetVersion: asked.plan.version });
  return await inTurn(exchange, asked.identityId, async (signal) => {
    const { plan } = await recheck(exchange, asked, (again) =>
      planContracts(again, dataset, osiSymbols),
    );
    countScan(exchange, plan);
    const contracts: Contract[] = [];
    for await (const batch of services.engine.scan(plan, signal)) {
      contracts.push(...contractsOf(plan.columns, batch));
    }
    return { contracts, version: plan.version };
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

/** Rejects with an ApiError: 'not found' without such a dataset, 'forbidden' without rules for it, 'invalid'. */
export async function resolveContracts(
  exchange: KeyedExchange,
  symbols: readonly string[],
  asked: AskedDates,
) {
  const stored = storedOsiSymbols(symbols);
  const { contracts, version } = await findContracts(exchange, stored);
  const bySymbol = Map.groupBy(contracts, ({ osiSymbol }) => osiSymbol);
  const resolved = symbols.map((symbol, at) => {
    const found = bySymbol.get(stored[at] as string) ?? [];
    return { symbol, intervals: found.flatMap((each) => contractView(each, asked)) };
  });
  return { resolved, version };
}
