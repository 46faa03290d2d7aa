import { ChevronLeft, ChevronRight } from 'lucide-react';
import { Button } from './button';
import styles from './table.module.css';
import type { TableView } from './table-view';

interface PagesProps {
  view: TableView;
  onView: (view: TableView) => void;
  number: number;
  count: number;
}

export function Pages({ number, count, view, onView }: PagesProps) {
  const go = (page: number) => onView({ ...view, page: String(page) });
  return (
    <nav aria-label="Pages" className={styles.tools}>
      <Button icon={ChevronLeft} disabled={number === 1} onClick={() => go(number - 1)}>
        Previous
      </Button>
      <span role="status">{`Page ${number} of ${count}`}</span>
      <Button icon={ChevronRight} disabled={number === count} onClick={() => go(number + 1)}>
        Next
      </Button>
    </nav>
  );
}
