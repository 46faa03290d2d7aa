/** The contracts of options on an underlying, as their reference data has them. */
import { skipToken, useQuery } from '@tanstack/react-query';
import { getJson } from '../api/client';
import { ownCatalogueQuery, queryShapeQuery } from '../api/queries';
import type { OptionContract } from './contract-choice';
import { requestPath } from './explorer-request';
import { useSettled } from './use-settled';

/** The dataset that has a row for each contract. */
const CONTRACT_MASTER = 'opt_contr_sec_master';
const SETTLE_MS = 400;

interface ContractRow {
  readonly Expiration: string;
  readonly CallPut: string;
  readonly Strike: number;
}

/**
 * Those that expire on a day or later; '': all. Null where they are not known: `ticker` is '', the account may not read
 * them, or they are on their way.
 */
export function useOptionContracts(
  ticker: string,
  firstExpiration: string,
): readonly OptionContract[] | null {
  const settled = useSettled(ticker, SETTLE_MS);
  const { data: datasets } = useQuery({ ...ownCatalogueQuery, enabled: settled !== '' });
  const dataset = datasets?.find(({ dataset_text_id: id }) => id === CONTRACT_MASTER);
  const { data: shape } = useQuery({
    ...queryShapeQuery(dataset?.dataset_id ?? ''),
    enabled: dataset !== undefined,
  });
  const own = (name: string, value: string) => ({ name, value, field: null });
  const path =
    shape === undefined || settled === ''
      ? null
      : requestPath(
          {
            segments: [shape.group, shape.segment],
            parameters: [
              own('OptionTicker', settled),
              ...(firstExpiration === '' ? [] : [own('Expiration.ge', firstExpiration)]),
              own('columns', 'Expiration,CallPut,Strike'),
            ],
          },
          { limit: shape.limits.json.maximum },
        );
  const { data } = useQuery({
    queryKey: ['option contracts', path],
    queryFn:
      path === null
        ? skipToken
        : async ({ signal }) => {
            const { data: rows } = await getJson<{ data: readonly ContractRow[] }>(path, signal);
            return rows.map(({ Expiration, CallPut, Strike }) => ({
              ...{ expiration: Expiration, callPut: CallPut, strike: Strike },
            }));
          },
  });
  return data ?? null;
}
