/** Asks how much the query would read, once the form has stopped changing. */
import { skipToken, useQuery } from '@tanstack/react-query';
import type { DataScan } from '@ticklake/client';
import { getJson } from '../api/client';
import { useSettled } from './use-settled';

const SETTLE_MS = 400;

/** `path` below `/data-scan`; null while the query cannot be asked. */
export function useScan(path: string | null) {
  const settled = useSettled(path, SETTLE_MS);
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
