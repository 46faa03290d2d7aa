// biome-ignore-all lint/a11y/useSemanticElements: a table that draws only what is seen cannot be a <table>
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names the active cell
import { Menu } from '@base-ui/react/menu';
import { ArrowDown, ArrowUp, EllipsisVertical } from 'lucide-react';
import { type PointerEvent, type RefObject, useRef } from 'react';
import { isNumeric } from '../format/cells';
import menuStyles from '../ui/action-menu.module.css';
import type { SortRow } from './explorer-query';
import type { ShownColumn } from './grid-columns';
import { HEADER_ROW, NUMBER_PX } from './grid-layout';
import { type GridLook, withFittingWidth, withPin, withWidth } from './grid-look';
import { type ColumnPlace, cellId } from './grid-row';
import { directionOf, type SortDirection, sortedBy, sortedOnce } from './grid-sort';
import styles from './rows-grid.module.css';

/** By so much a column is made wider or narrower without a mouse. */
const WIDTH_FACTOR = 1.25;

export interface HeaderActs {
  readonly sort: readonly SortRow[];
  readonly onSort: (sort: readonly SortRow[]) => void;
  readonly look: GridLook;
  readonly onLook: (look: GridLook) => void;
}

export function menuId(gridId: string, column: number): string {
  return `${cellId(gridId, HEADER_ROW, column)}-menu`;
}

interface MenuProps {
  id: string;
  column: ShownColumn;
  acts: HeaderActs;
  /** Has the focus when the menu is closed. */
  grid: RefObject<HTMLElement | null>;
}

function ColumnMenu({ id, column, acts, grid }: MenuProps) {
  const { name, width, isPinned } = column;
  const { sort, onSort, look, onLook } = acts;
  const isSorted = directionOf(sort, name) !== null;
  const sortBy = (direction: SortDirection | null) => () =>
    onSort(sortedBy(sort, name, direction, false));
  const items = [
    { label: 'Sort ascending', act: sortBy('ascending') },
    { label: 'Sort descending', act: sortBy('descending') },
    ...(isSorted ? [{ label: 'Clear the sort', act: sortBy(null) }] : []),
    {
      label: isPinned ? 'Unpin' : 'Pin to the left',
      act: () => onLook(withPin(look, name, !isPinned)),
    },
    { label: 'Wider', act: () => onLook(withWidth(look, name, width * WIDTH_FACTOR)) },
    { label: 'Narrower', act: () => onLook(withWidth(look, name, width / WIDTH_FACTOR)) },
    { label: 'Fit to values', act: () => onLook(withFittingWidth(look, name)) },
  ];
  return (
    <Menu.Root>
      <Menu.Trigger id={id} tabIndex={-1} className={styles.menu} aria-label={`${name}: options`}>
        <EllipsisVertical size={14} aria-hidden />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end">
          <Menu.Popup className={menuStyles.popup} finalFocus={grid}>
            {items.map(({ label, act }) => (
              <Menu.Item key={label} className={menuStyles.item} onClick={act}>
                {label}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
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

interface HeaderCellProps {
  gridId: string;
  at: number;
  column: ShownColumn;
  left: number | null;
  isActive: boolean;
  acts: HeaderActs;
  grid: RefObject<HTMLElement | null>;
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

interface HeaderRowProps {
  gridId: string;
  columns: readonly ShownColumn[];
  pinnedCount: number;
  fixedPx: number;
  places: readonly ColumnPlace[];
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
          <div
            role="columnheader"
            aria-colindex={1}
            className={styles.number}
            style={{ width: NUMBER_PX }}
          >
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
