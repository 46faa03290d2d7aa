import type { RefObject } from 'react';
import { mayHelpToRetry } from '../api/api-failure';
import { countText, plural } from '../format/amounts';
import { Button } from '../ui/button';
import { CheckboxField } from '../ui/checkbox-field';
import { Notice } from '../ui/notice';
import styles from './explorer-screen.module.css';
import type { GridColumn } from './grid-columns';
import type { HeaderActs } from './grid-header';
import type { RowStore, RowsState } from './row-store';
import { type KeptGrid, RowsGrid } from './rows-grid';

function statusText({ rowCount, end, isReading, columns }: RowsState, lookBack: string): string {
  if (columns === null) return isReading ? 'Loading rows…' : '';
  const soFar = plural(rowCount, 'row');
  if (end === 'reached') {
    const within = lookBack && ` in ${lookBack}`;
    return rowCount === 0 ? `No rows${within}` : `${soFar} in total${within}`;
  }
  if (end === 'capped') {
    return `The first ${countText(rowCount)} rows. Narrow the query or download it to see more.`;
  }
  return isReading ? `${soFar} so far, loading more…` : `${soFar} so far; scroll for more`;
}

interface RowsPanelProps {
  store: RowStore;
  state: RowsState;
  columns: readonly GridColumn[];
  scrollTop: RefObject<number>;
  acts: HeaderActs;
  kept: RefObject<KeptGrid>;
  /** The window that the rows lie in, where the query names no days; else ''. */
  lookBack: string;
}

export function RowsPanel(props: RowsPanelProps) {
  const { store, state, columns, scrollTop, acts, kept, lookBack } = props;
  const { error, rowCount, end } = state;
  const { look, onLook } = acts;
  return (
    <div className={styles.panel}>
      <div className={styles.above}>
        <p role="status" className={styles.status}>
          {statusText(state, lookBack)}
          {state.datasetVersion !== null && ` · version ${state.datasetVersion}`}
        </p>
        {rowCount > 0 && (
          <CheckboxField
            label="Thousands separators"
            name="separators"
            value={look.hasSeparators}
            onValueChange={(hasSeparators) => onLook({ ...look, hasSeparators })}
          />
        )}
      </div>
      {state.missing !== null && (
        <Notice kind="info" title="Identifiers are missing">
          {state.missing}. They are unknown, have no rows on these dates, or are not for your
          account.
        </Notice>
      )}
      {rowCount > 0 && (
        <RowsGrid label="Result rows" {...{ store, state, columns, scrollTop, acts, kept }} />
      )}
      {rowCount === 0 && end === 'reached' && (
        <Notice kind="info" title="No rows">
          {state.hint ??
            'No rows match the query. Check for a date without trading, an unknown identifier or a filter that is too narrow.'}
        </Notice>
      )}
      {error !== null && (
        <Notice kind="danger" title={rowCount > 0 ? 'Couldn’t load more rows' : 'The query failed'}>
          <p>{error instanceof Error ? error.message : String(error)}</p>
          {mayHelpToRetry(error) && <Button onClick={() => store.retry()}>Try again</Button>}
        </Notice>
      )}
    </div>
  );
}
