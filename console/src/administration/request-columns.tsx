import { Link } from '@tanstack/react-router';
import type { RefusedRequest, RunningRequest } from '@ticklake/client';
import { Badge } from '../ui/badge';
import type { TableColumn } from '../ui/table';
import { TwoLines } from '../ui/two-lines';
import { ActorName } from './actor-name';
import styles from './request-columns.module.css';
import { elapsedText } from './request-search';

type Watched = Pick<
  RunningRequest,
  'request_id' | 'identity_id' | 'identity_name' | 'method' | 'path'
>;

function Caller({ request }: { request: Watched }) {
  const { identity_id: id, identity_name: name } = request;
  if (id === null) return 'Unknown';
  return (
    <Link to="/identities/$identityId" params={{ identityId: String(id) }}>
      {name ?? `Account ${id}`}
    </Link>
  );
}

function Means({ request }: { request: RunningRequest }) {
  const { key_id: keyId, person_id: personId } = request;
  if (keyId !== null) return `key ${keyId}`;
  return personId === null ? 'without a key' : <ActorName actor={`person:${personId}`} />;
}

const REQUEST: TableColumn<Watched> = {
  key: 'request',
  header: 'Request',
  isRowHeader: true,
  isWrapped: true,
  cell: ({ method, path, request_id: id }) => (
    <TwoLines
      first={
        <code className={styles.request}>
          {method} {path}
        </code>
      }
      second={id}
    />
  ),
};

/** Columns of the requests that are being answered. */
export const RUNNING_COLUMNS: readonly TableColumn<RunningRequest>[] = [
  REQUEST,
  {
    key: 'caller',
    header: 'Account',
    cell: (request) => (
      <TwoLines first={<Caller request={request} />} second={<Means request={request} />} />
    ),
  },
  { key: 'dataset', header: 'Dataset', cell: ({ dataset_id }) => dataset_id ?? '–' },
  { key: 'state', header: 'State', cell: ({ state }) => <Badge kind="quiet">{state}</Badge> },
  {
    key: 'elapsed',
    header: 'Duration',
    cell: ({ elapsed_ms }) => elapsedText(elapsed_ms),
    isNumeric: true,
  },
];

/** Columns of those that were refused. */
export const REFUSED_COLUMNS: readonly TableColumn<RefusedRequest>[] = [
  {
    key: 'at',
    header: 'Time (UTC)',
    cell: ({ at }) => (
      <time dateTime={at}>
        <TwoLines first={at.slice(11, 19)} second={at.slice(0, 10)} />
      </time>
    ),
  },
  {
    key: 'status',
    header: 'Status',
    cell: ({ status }) => (
      <Badge kind={status >= 500 ? 'danger' : 'warning'}>{String(status)}</Badge>
    ),
  },
  REQUEST,
  { key: 'detail', header: 'Reason', cell: ({ detail }) => detail, isWrapped: true },
  {
    key: 'caller',
    header: 'Account',
    cell: (request) => (
      <TwoLines
        first={<Caller request={request} />}
        second={`from ${request.source_address ?? 'an unknown address'}`}
      />
    ),
  },
];
