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
  const { mutate, isPending } = useMutation({
    mutationFn: () => queryClient.ensureQueryData(datasetPreviewQuery(shape.dataset_id)),
    onError: ({ message }) => tell({ title: message }),
  });
  const show = () =>
    mutate(undefined, {
      // Not once an identifier was entered, which takes this button away.
      onSuccess: ({ data: [row] }) => {
        const search = row ? exampleSearch(shape, row) : null;
        // Going back would lead to an address that asks for the example again.
        if (search) void navigate({ to: '/explorer', search, replace: isWanted });
        else tell({ title: 'The last week has no rows with an identifier. Enter one.' });
      },
    });
  const begin = useEffectEvent(() => isWanted && show());
  useEffect(() => void begin(), []);
  return (
    <Button kind="quiet" isBusy={isPending} onClick={show}>
      Example
    </Button>
  );
}
