import {
  CancelledError,
  type UseInfiniteQueryResult,
  type UseQueryOptions,
  type UseQueryResult,
  useQuery,
} from '@tanstack/react-query';
import {
  ChevronLeft,
  CircleAlert,
  CircleCheck,
  Info,
  type LucideIcon,
  TriangleAlert,
  X,
} from 'lucide-react';
import { Fragment, type ReactNode, useEffect, useState } from 'react';
import { ApiFailure, errorText, mayHelpToRetry } from '../api/client';
import { Halted } from '../api/store';
import { Button } from './button';
import styles from './dated-text.module.css';
import emptyState from './empty-state.module.css';
import notice from './notice.module.css';
import skeleton from './skeleton.module.css';

const DATES = /(\d{4}-\d{2}(?:-\d{2})?)/;

/** A text whose dates are not broken into two lines: browsers break after their hyphens. */
export function DatedText({ text }: { text: string }) {
  // Every second part is a date.
  return text.split(DATES).map((part, at) =>
    at % 2 === 1 ? (
      <span key={at} className={styles.date}>
        {part}
      </span>
    ) : (
      <Fragment key={at}>{part}</Fragment>
    ),
  );
}

interface PageProps {
  title: string;
  /** In the browser's tab, where that says more. */
  tabTitle?: string;
  /** Leaves its room to the content; the navigation shows the screen, too. */
  isTitleUnseen?: boolean;
  back?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}

/** The frame of a screen: its title, also the browser tab's, and what can be done on it. */
export function Page({ title, tabTitle = title, isTitleUnseen, ...props }: PageProps) {
  const { back, description, actions, children } = props;
  useEffect(() => {
    document.title = `${tabTitle} – Ticklake`;
  }, [tabTitle]);
  return (
    <div className={styles.page}>
      <header className={isTitleUnseen ? 'visually-hidden' : styles.head}>
        <div>
          {back && (
            <p className={styles.back}>
              <ChevronLeft size={16} aria-hidden />
              {back}
            </p>
          )}
          {/* Takes the focus when the screen was opened from another one. */}
          <h1 tabIndex={-1}>
            <DatedText text={title} />
          </h1>
          {description && <p className={styles.description}>{description}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface CardProps {
  title?: string;
  actions?: ReactNode;
  children: ReactNode;
}

export function Card({ title, actions, children }: CardProps) {
  return (
    <section className={styles.card}>
      {title && (
        <div className={styles.cardHead}>
          <h2>
            <DatedText text={title} />
          </h2>
          {actions}
        </div>
      )}
      {children}
    </section>
  );
}

const ICONS = {
  info: Info,
  warning: TriangleAlert,
  danger: CircleAlert,
  good: CircleCheck,
} as const;

interface NoticeProps {
  kind: keyof typeof ICONS;
  title?: string;
  /** Puts the notice away; absent: it stays. */
  onDismiss?: () => void;
  children?: ReactNode;
}

/** One of danger is read out at once. */
export function Notice({ kind, title, onDismiss, children }: NoticeProps) {
  const Icon = ICONS[kind];
  return (
    <div
      className={`${notice.notice} ${notice[kind]}`}
      role={kind === 'danger' ? 'alert' : 'status'}
    >
      <Icon size={18} aria-hidden className={notice.icon} />
      <div className={notice.body}>
        {title && <strong>{title}</strong>}
        {children && <div>{children}</div>}
      </div>
      {onDismiss && (
        <button type="button" className={notice.dismiss} aria-label="Dismiss" onClick={onDismiss}>
          <X size={16} aria-hidden />
        </button>
      )}
    </div>
  );
}

interface RetryButtonProps {
  error: unknown;
  onRetry: () => void;
  children: ReactNode;
}

/** Cannot be pressed before the limit that was used up lets requests pass again. */
export function RetryButton({ error, onRetry, children }: RetryButtonProps) {
  const [left, setLeft] = useState(error instanceof ApiFailure ? error.waitSeconds : 0);
  useEffect(() => {
    const timer = setTimeout(() => setLeft(Math.max(0, left - 1)), 1000);
    return () => clearTimeout(timer);
  }, [left]);
  return (
    <Button disabled={left > 0} onClick={onRetry}>
      {children}
      {left > 0 && <span aria-hidden>in {left} s</span>}
    </Button>
  );
}

interface FailureNoticeProps {
  title?: string;
  error: unknown;
  onRetry?: () => void;
}

/** Says what failed, and offers to try again where that may help. */
export function FailureNotice({ title, error, onRetry }: FailureNoticeProps) {
  const isHalted = error instanceof Halted;
  const said = isHalted ? 'Stopped' : title;
  return (
    <Notice kind={isHalted ? 'info' : 'danger'} {...(said && { title: said })}>
      <p>{errorText(error)}</p>
      {onRetry && mayHelpToRetry(error) && (
        <RetryButton {...{ error, onRetry }}>{isHalted ? 'Go on' : 'Try again'}</RetryButton>
      )}
    </Notice>
  );
}

/** Stands where something will be, once there is something, and says what. */
export function EmptyState({ icon: Icon, children }: { icon: LucideIcon; children: ReactNode }) {
  return (
    <div className={emptyState.empty} role="status">
      <Icon size={24} aria-hidden className={emptyState.icon} />
      <p>{children}</p>
    </div>
  );
}

const KEY_START = 'ticklake-dismissed-';
const DISMISSED = 'yes';

export function useDismissed(name: string): readonly [boolean, () => void] {
  const [dismissedName, setDismissedName] = useState('');
  const isKept = localStorage.getItem(KEY_START + name) === DISMISSED;
  const dismiss = () => {
    localStorage.setItem(KEY_START + name, DISMISSED);
    setDismissedName(name);
  };
  return [dismissedName === name || isKept, dismiss];
}

export function DismissButton({ what, onDismiss }: { what: string; onDismiss: () => void }) {
  return <Button icon={X} kind="quiet" aria-label={`Dismiss “${what}”`} onClick={onDismiss} />;
}

/** As wide as the lines of a text are. */
const LINE_WIDTHS = [skeleton.long, skeleton.middle, skeleton.long, skeleton.short] as const;

/** Said to screen readers; shown only where loading takes a while. */
export function Skeleton({ what }: { what: string }) {
  return (
    <div role="status" className={skeleton.skeleton}>
      <span className="visually-hidden">Loading {what}…</span>
      {LINE_WIDTHS.map((width, at) => (
        <span key={at} className={`${skeleton.line} ${width}`} aria-hidden />
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
  if (!query.isError) return <Skeleton what={what} />;
  const retry = () => void query.refetch();
  const error = query.error instanceof CancelledError ? new Halted() : query.error;
  const failure = { title: `Couldn’t load ${what}`, error, onRetry: retry };
  return <FailureNotice key={query.errorUpdateCount} {...failure} />;
}

interface QueryProps<T> extends Omit<LoadedProps<T>, 'query'> {
  of: UseQueryOptions<T>;
}

/** Asks a query, and shows what it loaded. */
export function Query<T>({ of, ...shown }: QueryProps<T>) {
  return <Loaded query={useQuery(of)} {...shown} />;
}

interface MoreButtonProps {
  query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
  children: string;
}

export function MoreButton({ query, children }: MoreButtonProps) {
  if (!query.hasNextPage) return null;
  return (
    <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
      {children}
    </Button>
  );
}

interface FoundPageProps<T> {
  of: UseQueryOptions<T>;
  /** In a word: `Account`. */
  noun: string;
  id: string;
  back: ReactNode;
  children: (data: T) => ReactNode;
}

/** The page of one thing, or a page that says that there is none with this id. */
export function FoundPage<T>({ of, noun, id, back, children }: FoundPageProps<T>) {
  const query = useQuery(of);
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
