import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { mayHelpToRetry } from '../api/api-failure';
import { Button } from './button';
import { Notice } from './notice';
import { Skeleton } from './skeleton';

interface LoadedProps<T> {
  query: UseQueryResult<T>;
  /** Names the thing that is being loaded, as in "Loading API keys…". */
  what: string;
  children: (data: T) => ReactNode;
}

/** Shows what a query loaded; before that, its place or why it failed. */
export function Loaded<T>({ query, what, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) {
    return (
      <Notice kind="danger" title={`Couldn’t load ${what}`}>
        <p>{query.error.message}</p>
        {mayHelpToRetry(query.error) && (
          <Button onClick={() => void query.refetch()}>Try again</Button>
        )}
      </Notice>
    );
  }
  return <Skeleton what={what} />;
}
