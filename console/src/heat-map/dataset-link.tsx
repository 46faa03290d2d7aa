import { Link } from '@tanstack/react-router';
import { useSession } from '../session/use-session';
import type { MapRow } from './coverage-cells';

/** To the dataset's days; for an owner without an account, who has no catalogue, to its publications. */
export function DatasetLink({ row: { dataset_id, dataset_name } }: { row: MapRow }) {
  const { identity } = useSession();
  if (identity === null) {
    return (
      <Link to="/publications/history" search={{ dataset: dataset_id }}>
        {dataset_name}
      </Link>
    );
  }
  return (
    <Link
      to="/catalogue/$datasetId"
      params={{ datasetId: dataset_id }}
      search={{ tab: 'coverage' }}
    >
      {dataset_name}
    </Link>
  );
}
