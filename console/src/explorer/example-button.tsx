import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { datasetPreviewQuery, queryClient } from '../api/queries';
import { Button } from '../ui/button';
import { tell } from '../ui/news';
import type { DatasetShape } from './dataset-shape';
import { exampleSearch } from './example-query';

/** Shows a chart to whoever knows no identifier; `isWanted`: at once. */
export function ExampleButton({ shape, isWanted }: { shape: DatasetShape; isWanted: boolean }) {
  const navigate = useNavigate();
  const example = useMutation({
    mutationFn: () => queryClient.ensureQueryData(datasetPreviewQuery(shape.dataset_id)),
    onSuccess: ({ data: [row] }) => {
      const search = row ? exampleSearch(shape, row) : null;
      if (search) void navigate({ to: '/explorer', search });
      else tell({ title: 'The last week has no rows with an identifier. Enter one.' });
    },
    onError: ({ message }) => tell({ title: message }),
  });
  const begin = useEffectEvent(() => isWanted && example.mutate());
  useEffect(() => void begin(), []);
  return (
    <Button kind="quiet" isBusy={example.isPending} onClick={() => example.mutate()}>
      Example
    </Button>
  );
}
