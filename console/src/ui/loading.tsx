import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiFailure, mayHelpToRetry } from '../api/client';
import { Button } from './button';
import { Notice } from './notice';
import { Page } from './page';
import styles from './skeleton.module.css';

/** As wide as the lines of a text are. */
const LINE_WIDTHS = [styles.long, styles.middle, styles.long, styles.short] as const;

/** Said to screen readers; shown only where loading takes a while. */
export function Skeleton({ what }: { what: string }) {
  return (
    <div role="status" className={styles.skeleton}>
      <span className="visually-hidden">Loading {what}…</span>
      {LINE_WIDTHS.map((width, at) => (
        <span key={at} className={`${styles.line} ${width}`} aria-hidden />
      ))}
    </div>
  );
}

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

interface MoreButtonProps {
  query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
  children: string;
}

export function MoreButton({ query, children }: MoreButtonProps) {
  if (!query.hasNextPage) return null;
  return (
    <div>
      <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {children}
      </Button>
    </div>
  );
}

interface FoundPageProps<T> {
  query: UseQueryResult<T>;
  /** In a word: `Account`. */
  noun: string;
  id: string;
  back: ReactNode;
  children: (data: T) => ReactNode;
}

/** The page of one thing, or a page that says that there is none with this id. */
export function FoundPage<T>({ query, noun, id, back, children }: FoundPageProps<T>) {
  const word = noun.toLowerCase();
  if (query.data !== undefined) return children(query.data);
  if (query.error instanceof ApiFailure && [404, 422].includes(query.error.status)) {
    return (
      <Page title={`${noun} not found`} back={back}>
        <Notice kind="info">
          No {word} has the ID {id}.
        </Notice>
      </Page>
    );
  }
  return (
    <Page title={noun} back={back}>
      <Loaded query={query} what={`the ${word}`}>
        {() => null}
      </Loaded>
    </Page>
  );
}
