import { Link } from '@tanstack/react-router';
import type { DatasetRow } from '@ticklake/client';
import { ChevronRight } from 'lucide-react';
import { Badge } from '../ui/badge';
import styles from './dataset-list.module.css';

interface DatasetListProps {
  rows: readonly DatasetRow[];
  /** Undefined while it is not known what the account may read. */
  ownIds: ReadonlySet<string> | undefined;
}

function Access({ isOwn }: { isOwn: boolean }) {
  return isOwn ? <Badge kind="good">Entitled</Badge> : <Badge kind="quiet">No access</Badge>;
}

/** Datasets, each a link to its screen. */
export function DatasetList({ rows, ownIds }: DatasetListProps) {
  return (
    <ul className={styles.list} aria-label="Datasets">
      {rows.map((row) => (
        <li key={row.dataset_id} className={styles.row}>
          <div className={styles.name}>
            <Link
              to="/catalogue/$datasetId"
              params={{ datasetId: row.dataset_id }}
              className={styles.link}
            >
              {row.dataset_name}
            </Link>
            <code className={styles.quiet}>{row.dataset_text_id}</code>
          </div>
          <code>{row.dataset_id}</code>
          <span>{row.data_group}</span>
          <span className={styles.quiet}>{row.vendor}</span>
          <span className={styles.access}>
            {ownIds && <Access isOwn={ownIds.has(row.dataset_id)} />}
          </span>
          <ChevronRight size={16} aria-hidden className={styles.chevron} />
        </li>
      ))}
    </ul>
  );
}
