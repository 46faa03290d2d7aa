// biome-ignore-all lint/a11y/useSemanticElements: a virtual table cannot be a <table>
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus

import { ArrowDown, ArrowUp, EllipsisVertical } from 'lucide-react';
// A table whose rows and columns are drawn only where they are seen cannot be a <table>, and the
// grid itself has the focus: it names the active cell.
import { memo, type PointerEvent, type RefObject, useRef } from 'react';
import { cellText, isNumeric } from '../format/cells';
import { ActionMenu } from '../ui/action-menu';
import type { SortRow } from './explorer-query';
import {
  directionOf,
  type GridLook,
  HEADER_ROW,
  type SortDirection,
  sortedBy,
  sortedOnce,
  withFittingWidth,
  withPin,
  withWidth,
} from './grid';
import type { ShownColumn } from './grid-columns';
import type { Cell, RowStore } from './row-store';
import styles from './rows-grid.module.css';

export interface ColumnPlace {
  /** Among all that are shown. */
  readonly column: number;
  /** Pixels from the first column that is not pinned. */
  readonly start: number;
}

export function cellId(gridId: string, row: number, column: number): string {
  return `${gridId}-${row}-${column}`;
}

/** Shared by all rows of the grid, that of the names as well. */
export interface GridFrame {
  gridId: string;
  columns: readonly ShownColumn[];
  pinnedCount: number;
  /** Pixels that the row's number and the pinned columns take. */
  fixedPx: number;
  places: readonly ColumnPlace[];
}

interface GridRowProps extends GridFrame {
  index: number;
  start: number;
  store: RowStore;
  /** Else its page is on its way. */
  isHere: boolean;
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
        <div role="rowheader" className={styles.number} aria-colindex={1}>
          {index + 1}
        </div>
        {columns.slice(0, pinnedCount).map((_, at) => cellOf(at, null))}
      </div>
      {places.map(({ column, start: left }) => cellOf(column, left + fixedPx))}
    </div>
  );
});

const WIDTH_FACTOR = 1.25;

export interface HeaderActs {
  readonly sort: readonly SortRow[];
  readonly onSort: (sort: readonly SortRow[]) => void;
  /** Names of columns that a filter can be of. */
  readonly filterable: readonly string[];
  readonly onFilter: (column: string) => void;
  /** Null where no column would be left. */
  readonly onHide: ((column: string) => void) | null;
  readonly look: GridLook;
  readonly onLook: (look: GridLook) => void;
}

export function menuId(gridId: string, column: number): string {
  return `${cellId(gridId, HEADER_ROW, column)}-menu`;
}

interface MenuProps extends Pick<HeaderRowProps, 'acts' | 'grid'> {
  id: string;
  column: ShownColumn;
}

function ColumnMenu({ id, column, acts, grid }: MenuProps) {
  const { name, width, isPinned } = column;
  const { sort, onSort, look, onLook, onHide } = acts;
  // The field of a new filter has the focus then.
  const isFiltering = useRef(false);
  const filter = () => {
    isFiltering.current = true;
    acts.onFilter(name);
  };
  const isSorted = directionOf(sort, name) !== null;
  const sortBy = (direction: SortDirection | null) => () =>
    onSort(sortedBy(sort, name, direction, false));
  const items = [
    { label: 'Sort ascending', onChoose: sortBy('ascending') },
    { label: 'Sort descending', onChoose: sortBy('descending') },
    ...(isSorted ? [{ label: 'Clear sort', onChoose: sortBy(null) }] : []),
    ...(acts.filterable.includes(name) ? [{ label: 'Filter…', onChoose: filter }] : []),
    ...(onHide ? [{ label: 'Hide', onChoose: () => onHide(name) }] : []),
    {
      label: isPinned ? 'Unpin' : 'Pin to the left',
      onChoose: () => onLook(withPin(look, name, !isPinned)),
    },
    { label: 'Wider', onChoose: () => onLook(withWidth(look, name, width * WIDTH_FACTOR)) },
    { label: 'Narrower', onChoose: () => onLook(withWidth(look, name, width / WIDTH_FACTOR)) },
    { label: 'Fit to values', onChoose: () => onLook(withFittingWidth(look, name)) },
  ];
  const trigger = (
    <button type="button" id={id} tabIndex={-1} className={styles.menu}>
      <EllipsisVertical size={14} aria-hidden />
    </button>
  );
  const finalFocus = () => {
    const wasFiltering = isFiltering.current;
    isFiltering.current = false;
    return wasFiltering ? false : grid.current;
  };
  return <ActionMenu label={`${name}: options`} actions={items} {...{ trigger, finalFocus }} />;
}

/** The right edge of a column, to be dragged; a double click fits the column to its values. */
function ResizeEdge({ column, acts }: { column: ShownColumn; acts: HeaderActs }) {
  const begun = useRef<{ x: number; width: number } | null>(null);
  const { name, width } = column;
  const { look, onLook } = acts;
  const begin = (event: PointerEvent<HTMLElement>) => {
    event.stopPropagation();
    event.currentTarget.setPointerCapture(event.pointerId);
    begun.current = { x: event.clientX, width };
  };
  const resize = ({ clientX }: PointerEvent) => {
    if (begun.current)
      onLook(withWidth(look, name, begun.current.width + clientX - begun.current.x));
  };
  return (
    <span
      aria-hidden
      className={styles.edge}
      onPointerDown={begin}
      onPointerMove={resize}
      onPointerUp={() => {
        begun.current = null;
      }}
      onDoubleClick={() => onLook(withFittingWidth(look, name))}
    />
  );
}

const ARROWS = { ascending: ArrowUp, descending: ArrowDown } as const;

interface HeaderCellProps extends Pick<HeaderRowProps, 'gridId' | 'acts' | 'grid'> {
  at: number;
  column: ShownColumn;
  left: number | null;
  isActive: boolean;
}

function HeaderCell({ gridId, at, column, left, isActive, acts, grid }: HeaderCellProps) {
  const { name, width, dataType } = column;
  const direction = directionOf(acts.sort, name);
  const Arrow = direction && ARROWS[direction];
  const names = [left === null ? styles.pinned : styles.cell, isActive && styles.active];
  return (
    <div
      id={cellId(gridId, HEADER_ROW, at)}
      role="columnheader"
      aria-colindex={at + 2}
      aria-sort={direction ?? 'none'}
      className={names.filter(Boolean).join(' ')}
      style={left === null ? { width } : { left, width }}
    >
      <button
        type="button"
        tabIndex={-1}
        title={name}
        className={`${styles.name} ${isNumeric(dataType) ? styles.numericName : ''}`}
        onClick={(event) => acts.onSort(sortedOnce(acts.sort, name, event.shiftKey))}
      >
        <span>{name}</span>
        {Arrow && <Arrow size={14} aria-hidden />}
      </button>
      <ColumnMenu id={menuId(gridId, at)} column={column} acts={acts} grid={grid} />
      <ResizeEdge column={column} acts={acts} />
    </div>
  );
}

interface HeaderRowProps extends GridFrame {
  width: number;
  activeColumn: number | null;
  acts: HeaderActs;
  grid: RefObject<HTMLElement | null>;
}

export function HeaderRow(props: HeaderRowProps) {
  const { gridId, columns, pinnedCount, fixedPx, places, activeColumn, acts, grid } = props;
  const cellOf = (at: number, left: number | null) => (
    <HeaderCell
      key={columns[at]!.name}
      column={columns[at]!}
      isActive={at === activeColumn}
      {...{ gridId, at, left, acts, grid }}
    />
  );
  return (
    <div role="rowgroup" className={styles.header} style={{ width: props.width }}>
      <div role="row" aria-rowindex={1}>
        <div className={styles.fixed}>
          <div role="columnheader" aria-colindex={1} className={styles.number}>
            <span className="visually-hidden">Row</span>
            <span aria-hidden>#</span>
          </div>
          {columns.slice(0, pinnedCount).map((_, at) => cellOf(at, null))}
        </div>
        {places.map(({ column, start }) => cellOf(column, start + fixedPx))}
      </div>
    </div>
  );
}
