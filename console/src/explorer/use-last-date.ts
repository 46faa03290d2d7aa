import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { datasetStatusQuery } from '../api/queries';
import type { DatasetShape } from './dataset-shape';
import type { ExplorerQuery } from './explorer-query';

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
