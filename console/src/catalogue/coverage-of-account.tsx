import { useQuery } from '@tanstack/react-query';
import type { DatasetInfo, QueryForm } from '@ticklake/client';
import { datasetStatusQuery } from '../api/queries';
import { Loaded } from '../ui/loading';
import { DatasetCoverage } from './dataset-coverage';
import { readableYears } from './readable-years';

/** The calendar over the years that the rules of the account let through. */
export function CoverageOfAccount({ info, shape }: { info: DatasetInfo; shape: QueryForm }) {
  const { dataset_id: datasetId, start_date: first } = info;
  const status = useQuery(datasetStatusQuery(datasetId));
  return (
    <Loaded query={status} what="the coverage">
      {({ last_trade_date: last }) => {
        const today = new Date().toISOString().slice(0, 10);
        const { firstYear, lastYear } = readableYears(shape.rules, first, last ?? today, today);
        return <DatasetCoverage datasetId={datasetId} firstYear={firstYear} lastYear={lastYear} />;
      }}
    </Loaded>
  );
}
