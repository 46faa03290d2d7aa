import { skipToken, useQuery } from '@tanstack/react-query';
import type { DataScan, FoundSecurities, FoundSecurity } from '@ticklake/client';
import { useEffect, useEffectEvent, useState } from 'react';
import { getJson } from '../api/client';
import { datasetStatusQuery, ownCatalogueQuery, queryShapeQuery } from '../api/queries';
import { addDays } from '../format/dates';
import type { DatasetShape } from './dataset-shape';
import type { ExplorerQuery } from './explorer-query';
import { requestPath } from './explorer-request';

export function useSettled<T>(value: T, delayMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return settled;
}

const SCAN_SETTLE_MS = 400;

/** `path` below `/data-scan`; null while the query cannot be asked. */
export function useScan(path: string | null) {
  const settled = useSettled(path, SCAN_SETTLE_MS);
  const isSettled = settled === path && path !== null;
  const query = useQuery({
    queryKey: ['scan', settled],
    queryFn: settled === null ? skipToken : ({ signal }) => getJson<DataScan>(settled, signal),
    enabled: isSettled,
  });
  return {
    scan: isSettled ? (query.data ?? null) : null,
    error: isSettled ? query.error : null,
    isAsking: path !== null && (!isSettled || query.isFetching),
  };
}

/** Fills in the last day that there is, where a day is needed and none was chosen yet. */
export function useLastDate(
  query: ExplorerQuery,
  shape: DatasetShape,
  edit: (change: Partial<ExplorerQuery>) => void,
): void {
  const needsDate = shape.path_parameters.includes('trade_date') && shape.is_entitled;
  const { data } = useQuery({
    ...datasetStatusQuery(shape.dataset_id),
    enabled: needsDate && query.date === '',
  });
  // Others may have asked for it as well.
  const lastDate = (needsDate && data?.last_trade_date) || '';
  const fill = useEffectEvent(() => {
    if (query.date === '' && lastDate !== '') edit({ date: lastDate });
  });
  // Once for a dataset: who empties the field afterwards means it.
  useEffect(() => fill(), [shape.dataset_id, lastDate]);
}

/** The dataset that ranks contracts has all of them, a row a day each. */
const DAILY_VALUES = 'fut_daily';
const DAYS_LOOKED_BACK = 7;
const ROWS_MAX = 1000;
const ROOT_SETTLE_MS = 250;
const NO_CONTRACTS: readonly string[] = [];

interface Page {
  readonly data: readonly { readonly Ticker: string }[];
}

/** A parameter of a request that no field of the form gives. */
const own = (name: string | null, value: string) => ({ name: name ?? '', value, field: null });

async function readContracts(
  { group, segment, root_column: column, date_column: date }: DatasetShape,
  root: string,
  last: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const first = addDays(last, -DAYS_LOOKED_BACK);
  const parameters = [own(column, root), own(`${date}.ge`, first), own('columns', 'Ticker')];
  const path = requestPath({ segments: [group, segment], parameters }, { limit: ROWS_MAX });
  const { data } = await getJson<Page>(path, signal);
  return [...new Set(data.map(({ Ticker }) => Ticker))];
}

/** The shape of a dataset that the account may read, by its text id; undefined while not known. */
function useOwnShape(textId: string, isWanted: boolean): DatasetShape | undefined {
  const { data: datasets } = useQuery({ ...ownCatalogueQuery, enabled: isWanted });
  const id = datasets?.find(({ dataset_text_id }) => dataset_text_id === textId)?.dataset_id;
  return useQuery({ ...queryShapeQuery(id ?? ''), enabled: id !== undefined }).data;
}

/** Contracts of the last days, where the account may read them; `root` null: none. */
export function useContracts(root: string | null): readonly string[] {
  const settled = useSettled(root, ROOT_SETTLE_MS);
  const shape = useOwnShape(DAILY_VALUES, settled !== null);
  const { data: status } = useQuery({
    ...datasetStatusQuery(shape?.dataset_id ?? ''),
    enabled: shape !== undefined,
  });
  const last = status?.last_trade_date ?? null;
  const { data } = useQuery({
    queryKey: ['contracts', settled, last],
    queryFn:
      settled === null || last === null || shape === undefined
        ? skipToken
        : ({ signal }) => readContracts(shape, settled, last, signal),
  });
  return data ?? NO_CONTRACTS;
}

const TERM_SETTLE_MS = 200;
const FOUND_MAX = 8;
/** The dataset that securities are found in, and that an account needs a rule for. */
const SECURITY_MASTER = 'eq_sec_master';
const NOBODY_FOUND: readonly FoundSecurity[] = [];

/**
 * None where `term` is empty, and where the account may not read who is who: identifiers can be
 * typed without that. `isExact`: none of a term's beginning either.
 */
export function useFoundSecurities(term: string, isExact = false) {
  const own = useQuery({ ...ownCatalogueQuery, enabled: term !== '' });
  const mayAsk = own.data?.some(({ dataset_text_id }) => dataset_text_id === SECURITY_MASTER);
  const settled = useSettled(term, TERM_SETTLE_MS);
  const path = `/symbology/search?q=${encodeURIComponent(settled)}&limit=${FOUND_MAX}`;
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['securities', settled],
    queryFn:
      settled === '' || !mayAsk
        ? skipToken
        : ({ signal }) => getJson<FoundSecurities>(path, signal),
    // Finds of a term's beginning go on being shown until there are better ones.
    placeholderData: (found, query) =>
      settled.startsWith(String(query?.queryKey[1])) ? found : undefined,
  });
  const isOfTerm = isExact ? term === settled && !isPlaceholderData : term.startsWith(settled);
  const securities = settled !== '' && isOfTerm ? data?.securities : undefined;
  return { securities: securities ?? NOBODY_FOUND, error };
}

/** The dataset that has a row for each contract. */
const CONTRACT_MASTER = 'opt_contr_sec_master';
const TICKER_SETTLE_MS = 400;

export type OptionContract = NonNullable<ReturnType<typeof useOptionContracts>>[number];

interface ContractRow {
  readonly Expiration: string;
  readonly CallPut: string;
  readonly Strike: number;
}

/**
 * Contracts that expire on a day or later; '': all. Null where they are not known: `ticker` is '',
 * the account may not read them, or they are on their way.
 */
export function useOptionContracts(ticker: string, firstExpiration: string) {
  const settled = useSettled(ticker, TICKER_SETTLE_MS);
  const shape = useOwnShape(CONTRACT_MASTER, settled !== '');
  const fromDay = firstExpiration === '' ? [] : [own('Expiration.ge', firstExpiration)];
  const columns = own('columns', 'Expiration,CallPut,Strike');
  const parameters = [own('OptionTicker', settled), ...fromDay, columns];
  const { data } = useQuery({
    queryKey: ['option contracts', settled, firstExpiration],
    queryFn:
      shape === undefined || settled === ''
        ? skipToken
        : async ({ signal }) => {
            const request = { segments: [shape.group, shape.segment], parameters };
            const path = requestPath(request, { limit: shape.limits.json.maximum });
            const { data: rows } = await getJson<{ data: readonly ContractRow[] }>(path, signal);
            return rows.map(({ Expiration, CallPut, Strike }) => ({
              ...{ expiration: Expiration, callPut: CallPut, strike: Strike },
            }));
          },
  });
  return data ?? null;
}
