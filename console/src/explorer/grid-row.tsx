// A table whose rows and columns are drawn only where they are seen cannot be a <table>, and the grid
// itself has the focus: it names the active cell.
// biome-ignore-all lint/a11y/useSemanticElements: see above
// biome-ignore-all lint/a11y/useFocusableInteractive: see above
import { memo } from 'react';
import { cellText, isNumeric } from '../format/cells';
import type { Cell } from './csv-page';
import type { ShownColumn } from './grid-columns';
import { NUMBER_PX } from './grid-layout';
import type { RowStore } from './row-store';
import styles from './rows-grid.module.css';

/** Where a column that is not pinned stands. */
export interface ColumnPlace {
  /** Among all that are shown. */
  readonly column: number;
  /** Pixels from the first column that is not pinned. */
  readonly start: number;
}

export function cellId(gridId: string, row: number, column: number): string {
  return `${gridId}-${row}-${column}`;
}

interface GridRowProps {
  gridId: string;
  index: number;
  start: number;
  store: RowStore;
  /** Whether the row is here; else its page is on its way. */
  isHere: boolean;
  columns: readonly ShownColumn[];
  pinnedCount: number;
  /** Pixels that the row's number and the pinned columns take. */
  fixedPx: number;
  places: readonly ColumnPlace[];
  activeColumn: number | null;
  /** Columns that are selected in this row, both included; -1 and -1: none. */
  selectedFirst: number;
  selectedLast: number;
}

export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { gridId, index, start, store, isHere, columns, pinnedCount, fixedPx, places } = props;
  const { activeColumn, selectedFirst, selectedLast } = props;
  const cells = isHere ? store.row(index) : null;
  const cellOf = (at: number, left: number | null) => {
    const column = columns[at]!;
    const isSelected = at >= selectedFirst && at <= selectedLast;
    const names = [
      left === null ? styles.pinned : styles.cell,
      isNumeric(column.dataType) && styles.numeric,
      isSelected && styles.selected,
      at === activeColumn && styles.active,
    ];
    return (
      <div
        key={at}
        id={cellId(gridId, index, at)}
        role="gridcell"
        aria-colindex={at + 2}
        aria-selected={isSelected}
        className={names.filter(Boolean).join(' ')}
        style={left === null ? { width: column.width } : { left, width: column.width }}
      >
        {cells === null ? '…' : cellText(cells[column.index] as Cell | undefined, column.format)}
      </div>
    );
  };
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={styles.row}
      style={{ transform: `translateY(${start}px)` }}
    >
      <div className={styles.fixed}>
        <div
          role="rowheader"
          className={styles.number}
          aria-colindex={1}
          style={{ width: NUMBER_PX }}
        >
          {index + 1}
        </div>
        {columns.slice(0, pinnedCount).map((_, at) => cellOf(at, null))}
      </div>
      {places.map(({ column, start: left }) => cellOf(column, left + fixedPx))}
    </div>
  );
});
