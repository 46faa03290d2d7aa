/** The contracts of a root, as the daily values of futures have them. */
import { skipToken, useQuery } from '@tanstack/react-query';
import { getJson } from '../api/client';
import { datasetStatusQuery, ownCatalogueQuery, queryShapeQuery } from '../api/queries';
import { addDays } from './bar-range';
import type { DatasetShape } from './dataset-shape';
import { requestPath } from './explorer-request';
import { useSettled } from './use-settled';

/** The dataset that ranks contracts has all of them, a row a day each. */
const DAILY_VALUES = 'fut_daily';
const DAYS_LOOKED_BACK = 7;
const ROWS_MAX = 1000;
const SETTLE_MS = 250;
const NONE: readonly string[] = [];

interface Page {
  readonly data: readonly { readonly Ticker: string }[];
}

async function readContracts(
  { group, segment, root_column: column, date_column: date }: DatasetShape,
  root: string,
  last: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const first = addDays(last, -DAYS_LOOKED_BACK);
  const own = (name: string | null, value: string) => ({ name: name ?? '', value, field: null });
  const parameters = [own(column, root), own(`${date}.ge`, first), own('columns', 'Ticker')];
  const path = requestPath({ segments: [group, segment], parameters }, { limit: ROWS_MAX });
  const { data } = await getJson<Page>(path, signal);
  return [...new Set(data.map(({ Ticker }) => Ticker))];
}

/** Those of the last days, where the account may read them; `root` null: none. */
export function useContracts(root: string | null): readonly string[] {
  const settled = useSettled(root, SETTLE_MS);
  const { data: datasets } = useQuery({ ...ownCatalogueQuery, enabled: settled !== null });
  const dataset = datasets?.find(({ dataset_text_id: id }) => id === DAILY_VALUES);
  const id = dataset?.dataset_id ?? '';
  const isThere = dataset !== undefined;
  const { data: status } = useQuery({ ...datasetStatusQuery(id), enabled: isThere });
  const { data: shape } = useQuery({ ...queryShapeQuery(id), enabled: isThere });
  const last = status?.last_trade_date ?? null;
  const { data } = useQuery({
    queryKey: ['contracts', settled, last],
    queryFn:
      settled === null || last === null || shape === undefined
        ? skipToken
        : ({ signal }) => readContracts(shape, settled, last, signal),
  });
  return data ?? NONE;
}
