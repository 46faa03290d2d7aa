import type { RefObject } from 'react';
import { countText, plural } from '../format/amounts';
import { Button } from '../ui/button';
import { Notice } from '../ui/notice';
import styles from './explorer-screen.module.css';
import type { RowStore, RowsState } from './row-store';
import { type GridColumn, RowsGrid } from './rows-grid';

function statusText({ rowCount, end, isReading, columns }: RowsState): string {
  if (columns === null) return isReading ? 'Reading rows…' : '';
  const soFar = plural(rowCount, 'row');
  if (end === 'reached') return `${soFar}, all of them`;
  if (end === 'capped') {
    return `The first ${countText(rowCount)} rows; narrow the query or download it to see more`;
  }
  return isReading ? `${soFar} so far, reading more…` : `${soFar} so far; scroll for more`;
}

interface RowsPanelProps {
  store: RowStore;
  state: RowsState;
  columns: readonly GridColumn[];
  scrollTop: RefObject<number>;
}

export function RowsPanel({ store, state, columns, scrollTop }: RowsPanelProps) {
  const { error, rowCount, end } = state;
  return (
    <div className={styles.panel}>
      <p role="status" className={styles.status}>
        {statusText(state)}
      </p>
      {rowCount > 0 && (
        <RowsGrid
          label="Rows of the answer"
          store={store}
          state={state}
          columns={columns}
          scrollTop={scrollTop}
        />
      )}
      {rowCount === 0 && end === 'reached' && (
        <Notice kind="info" title="No rows">
          Nothing fits the query. A date without trading, an identifier that nobody has, or a filter
          may be the reason.
        </Notice>
      )}
      {error !== null && (
        <Notice
          kind="danger"
          title={rowCount > 0 ? 'Reading more rows failed' : 'The query failed'}
        >
          <p>{error instanceof Error ? error.message : String(error)}</p>
          <Button onClick={() => store.retry()}>Try again</Button>
        </Notice>
      )}
    </div>
  );
}
