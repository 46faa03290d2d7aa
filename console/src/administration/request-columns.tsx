import { Link } from '@tanstack/react-router';
import type { RefusedRequest, RunningRequest } from '@ticklake/client';
import { Badge } from '../ui/badge';
import type { TableColumn } from '../ui/table';
import { TwoLines } from '../ui/two-lines';
import { ActorName } from './names';
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
    header: 'Account',
    cell: (request) => (
      <TwoLines first={<Caller request={request} />} second={<Means request={request} />} />
    ),
  },
  { header: 'Dataset', cell: ({ dataset_id }) => dataset_id ?? '–' },
  { header: 'State', cell: ({ state }) => <Badge kind="quiet">{state}</Badge> },
  { header: 'Duration', cell: ({ elapsed_ms }) => elapsedText(elapsed_ms), isNumeric: true },
];

/** Columns of those that were refused. */
export const REFUSED_COLUMNS: readonly TableColumn<RefusedRequest>[] = [
  {
    header: 'Time (UTC)',
    cell: ({ at }) => (
      <time dateTime={at}>
        <TwoLines first={at.slice(11, 19)} second={at.slice(0, 10)} />
      </time>
    ),
  },
  {
    header: 'Status',
    cell: ({ status }) => (
      <Badge kind={status >= 500 ? 'danger' : 'warning'}>{String(status)}</Badge>
    ),
  },
  REQUEST,
  { header: 'Reason', cell: ({ detail }) => detail, isWrapped: true },
  {
    header: 'Account',
    cell: (request) => (
      <TwoLines
        first={<Caller request={request} />}
        second={`from ${request.source_address ?? 'an unknown address'}`}
      />
    ),
  },
];
