import { useQuery } from '@tanstack/react-query';
import { datasetPreviewQuery } from '../api/queries';
import { Loaded } from '../ui/loading';
import { Card } from '../ui/page';
import { SampleTable } from '../ui/sample-table';

/** Ten rows as they are. */
export function DatasetPreview({ datasetId }: { datasetId: string }) {
  const preview = useQuery(datasetPreviewQuery(datasetId));
  return (
    <Card title="Preview">
      <p>
        The first ten rows of the latest week that your account can read. Loading them counts as one
        request.
      </p>
      <Loaded query={preview} what="the rows">
        {({ data }) => <SampleTable caption="Preview" rows={data} />}
      </Loaded>
    </Card>
  );
}
