import { Link } from '@tanstack/react-router';
import { utcText } from '../format/times';
import { Badge } from '../ui/badge';
import type { TableColumn } from '../ui/table';
import type { RefusedRequest, RunningRequest } from './records';
import styles from './request-columns.module.css';
import { elapsedText } from './request-search';

type Watched = Pick<
  RunningRequest,
  'request_id' | 'identity_id' | 'identity_name' | 'method' | 'path'
>;

function Caller({ request }: { request: Watched }) {
  const { identity_id: id, identity_name: name } = request;
  if (id === null) return 'nobody known';
  return (
    <Link to="/identities/$identityId" params={{ identityId: String(id) }}>
      {name ?? `Identity ${id}`}
    </Link>
  );
}

function means({ key_id: keyId, person_id: personId }: RunningRequest): string {
  if (keyId !== null) return `key ${keyId}`;
  return personId === null ? '–' : `person ${personId}`;
}

const REQUEST: TableColumn<Watched> = {
  key: 'request',
  header: 'Request',
  isRowHeader: true,
  isWrapped: true,
  cell: ({ method, path }) => (
    <code className={styles.request}>
      {method} {path}
    </code>
  ),
};
const ID: TableColumn<Watched> = {
  key: 'id',
  header: 'Request id',
  cell: ({ request_id }) => <code>{request_id}</code>,
};

export const RUNNING_COLUMNS: readonly TableColumn<RunningRequest>[] = [
  REQUEST,
  { key: 'caller', header: 'Identity', cell: (request) => <Caller request={request} /> },
  { key: 'means', header: 'With', cell: means },
  { key: 'dataset', header: 'Dataset', cell: ({ dataset_id }) => dataset_id ?? '–' },
  { key: 'state', header: 'State', cell: ({ state }) => <Badge kind="quiet">{state}</Badge> },
  {
    key: 'elapsed',
    header: 'For',
    cell: ({ elapsed_ms }) => elapsedText(elapsed_ms),
    isNumeric: true,
  },
  ID,
];

export const REFUSED_COLUMNS: readonly TableColumn<RefusedRequest>[] = [
  { key: 'at', header: 'At', cell: ({ at }) => utcText(at) },
  {
    key: 'status',
    header: 'Status',
    cell: ({ status }) => (
      <Badge kind={status >= 500 ? 'danger' : 'warning'}>{String(status)}</Badge>
    ),
  },
  REQUEST,
  { key: 'detail', header: 'Why', cell: ({ detail }) => detail, isWrapped: true },
  { key: 'caller', header: 'Identity', cell: (request) => <Caller request={request} /> },
  { key: 'from', header: 'From', cell: ({ source_address }) => source_address ?? '–' },
  ID,
];
