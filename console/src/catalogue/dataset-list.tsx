import { Link } from '@tanstack/react-router';
import type { CatalogueEntry } from '@ticklake/client';
import { ChevronRight } from 'lucide-react';
import { plural } from '../format/amounts';
import { coverageText } from '../format/coverage';
import { Badge } from '../ui/badge';
import { TwoLines } from '../ui/two-lines';
import styles from './dataset-list.module.css';
import { foundColumns } from './found-datasets';

interface DatasetListProps {
  entries: readonly CatalogueEntry[];
  /** What they were searched by. */
  text: string;
}

function Access({ isEntitled }: { isEntitled: boolean }) {
  return isEntitled ? <Badge kind="good">Entitled</Badge> : <Badge kind="quiet">No access</Badge>;
}

function Coverage({ entry }: { entry: CatalogueEntry }) {
  const { first_trade_date: first, last_trade_date: last, row_count: rows } = entry;
  if (rows === null) return null;
  return (
    <TwoLines first={coverageText(first, last, 'No trade dates')} second={plural(rows, 'row')} />
  );
}

function Item({ entry, text }: { entry: CatalogueEntry; text: string }) {
  const columns = foundColumns(entry, text);
  return (
    <li className={styles.row}>
      <div className={styles.name}>
        <Link
          to="/catalogue/$datasetId"
          params={{ datasetId: entry.dataset_id }}
          className={styles.link}
        >
          {entry.dataset_name}
        </Link>
        <code className={styles.quiet}>{entry.dataset_text_id}</code>
        {columns.length > 0 && (
          <span className={styles.columns}>Columns: {columns.join(', ')}</span>
        )}
      </div>
      <code>{entry.dataset_id}</code>
      <span>{entry.data_group}</span>
      <span className={styles.quiet}>{entry.time_granularity}</span>
      <span>
        <Coverage entry={entry} />
      </span>
      <span className={styles.access}>
        <Access isEntitled={entry.is_entitled} />
      </span>
      <ChevronRight size={16} aria-hidden className={styles.chevron} />
    </li>
  );
}

/** Datasets, each a link to its screen. */
export function DatasetList({ entries, text }: DatasetListProps) {
  return (
    <ul className={styles.list} aria-label="Datasets">
      {entries.map((entry) => (
        <Item key={entry.dataset_id} entry={entry} text={text} />
      ))}
    </ul>
  );
}
