// A table whose rows and columns are drawn only where they are seen cannot be a <table>, and the grid
// itself has the focus: it names the active cell.
// biome-ignore-all lint/a11y/useSemanticElements: see above
// biome-ignore-all lint/a11y/useFocusableInteractive: see above
// biome-ignore-all lint/a11y/useKeyWithClickEvents: see above
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: see above
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import {
  type ClipboardEvent,
  type KeyboardEvent,
  memo,
  type RefObject,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useToasts } from '../ui/toasts';
import type { Cell } from './csv-page';
import type { ShapeColumn } from './dataset-shape';
import { type CellRange, selectedCells, tableText } from './grid-copy';
import {
  type CellPlace,
  cellAfterKey,
  columnWidths,
  HEADER_PX,
  NUMBER_PX,
  ROW_PX,
} from './grid-layout';
import { textMeasure } from './measure-text';
import type { RowStore, RowsState } from './row-store';
import styles from './rows-grid.module.css';

const ROWS_OVERSCAN = 10;
const COLUMNS_OVERSCAN = 2;
/** Rows that are read before they are scrolled to. */
const ROWS_AHEAD = 1500;
const ROWS_MEASURED = 200;
/**
 * No fewer than are drawn at once, as the table is at most 640 pixels high: nodes of rows that leave
 * the screen are taken for those that enter.
 */
const ROW_NODES = 48;

export interface GridColumn {
  readonly name: string;
  readonly dataType: ShapeColumn['data_type'] | null;
}

interface ColumnPlace {
  readonly index: number;
  readonly start: number;
  readonly size: number;
}

function isNumeric({ dataType }: GridColumn): boolean {
  return dataType === 'number' || dataType === 'integer' || dataType === 'decimal';
}

function cellText(cell: Cell | undefined): string {
  return cell === '' ? '""' : (cell ?? '');
}

interface GridRowProps {
  gridId: string;
  index: number;
  start: number;
  store: RowStore;
  /** Whether the row is here; else its page is on its way. */
  isHere: boolean;
  columns: readonly GridColumn[];
  places: readonly ColumnPlace[];
  activeColumn: number | null;
  onActivate: (place: CellPlace) => void;
}

const GridRow = memo(function GridRow(props: GridRowProps) {
  const { gridId, index, start, store, isHere, columns, places, activeColumn, onActivate } = props;
  const cells = isHere ? store.row(index) : null;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={styles.row}
      style={{ transform: `translateY(${start}px)` }}
    >
      <div role="rowheader" className={styles.number} aria-colindex={1}>
        {index + 1}
      </div>
      {places.map(({ index: column, start: left, size }) => (
        <div
          key={column}
          id={`${gridId}-${index}-${column}`}
          role="gridcell"
          aria-colindex={column + 2}
          className={`${styles.cell} ${isNumeric(columns[column]!) ? styles.numeric : ''} ${column === activeColumn ? styles.active : ''}`}
          style={{ left: left + NUMBER_PX, width: size }}
          onClick={() => onActivate({ row: index, column })}
        >
          {cells === null ? '…' : cellText(cells[column])}
        </div>
      ))}
    </div>
  );
});

function HeaderRow(props: {
  columns: readonly GridColumn[];
  places: readonly ColumnPlace[];
  width: number;
}) {
  return (
    <div role="rowgroup" className={styles.header} style={{ width: props.width }}>
      <div role="row" aria-rowindex={1}>
        <div role="columnheader" aria-colindex={1} className={styles.number}>
          <span className="visually-hidden">Row</span>
          <span aria-hidden>#</span>
        </div>
        {props.places.map(({ index, start, size }) => (
          <div
            key={index}
            role="columnheader"
            aria-colindex={index + 2}
            className={`${styles.cell} ${isNumeric(props.columns[index]!) ? styles.numeric : ''}`}
            style={{ left: start + NUMBER_PX, width: size }}
          >
            {props.columns[index]!.name}
          </div>
        ))}
      </div>
    </div>
  );
}

type Scroller = Virtualizer<HTMLDivElement, Element>;

function useVirtual(
  box: RefObject<HTMLDivElement | null>,
  rowCount: number,
  widths: readonly number[],
  scrollTop: number,
): { rows: Scroller; columns: Scroller } {
  const rows = useVirtualizer({
    count: rowCount,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: ROWS_OVERSCAN,
    scrollPaddingEnd: HEADER_PX,
    initialOffset: scrollTop,
  });
  const columns = useVirtualizer({
    horizontal: true,
    count: widths.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => widths[index] ?? 0,
    overscan: COLUMNS_OVERSCAN,
    scrollPaddingEnd: NUMBER_PX,
  });
  // Widths are known only with the first rows.
  useEffect(() => {
    if (widths.length > 0) columns.measure();
  }, [columns, widths]);
  return { rows, columns };
}

/** The active cell of the grid, and the keys that move it. */
function useActiveCell(
  size: { rows: number; columns: number },
  virtual: ReturnType<typeof useVirtual>,
) {
  const [active, setActive] = useState<CellPlace>({ row: 0, column: 0 });
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const pageRows = Math.max(
      1,
      Math.floor((event.currentTarget.clientHeight - HEADER_PX) / ROW_PX),
    );
    const isControl = event.ctrlKey || event.metaKey;
    const next = cellAfterKey(event.key, isControl, active, { ...size, pageRows });
    if (next === null) return;
    event.preventDefault();
    setActive(next);
    virtual.rows.scrollToIndex(next.row, { align: 'auto' });
    virtual.columns.scrollToIndex(next.column, { align: 'auto' });
  };
  return { active, setActive, onKeyDown };
}

/**
 * Copies the active cell, the cells selected with the mouse or, after Control+A, all rows, of which
 * only those in sight are elements of the page.
 */
function useCopying(
  store: RowStore,
  columns: readonly GridColumn[],
  rowCount: number,
  active: CellPlace,
) {
  const toasts = useToasts();
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.key !== 'a' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    getSelection()?.selectAllChildren(event.currentTarget);
  };
  const onCopy = (event: ClipboardEvent<HTMLDivElement>) => {
    const selection = getSelection();
    const range = selection && selectedRange(selection, event.currentTarget);
    if (range === 'text') return;
    event.preventDefault();
    const text = range
      ? tableText(names, (index) => store.row(index), range)
      : (store.row(active.row)?.[active.column] ?? '');
    if (text !== null) event.clipboardData.setData('text/plain', text);
    else toasts.add({ title: 'Too many rows to copy. Download the file instead.' });
  };
  const names = columns.map(({ name }) => name);
  /** Null: nothing is selected; `text`: a part of one cell, which browsers copy by themselves. */
  const selectedRange = (selection: Selection, grid: HTMLElement): CellRange | 'text' | null => {
    if (selection.isCollapsed) return null;
    const last = names.length - 1;
    if (selection.anchorNode === grid) return { rows: [0, rowCount - 1], columns: [0, last] };
    return selectedCells(selection, names.length) ?? 'text';
  };
  return { onKeyDown, onCopy };
}

/** Shows the full value of the active cell, which the cell may be too narrow for. */
function ActiveCell(props: { column: GridColumn | undefined; row: number; text: string }) {
  if (!props.column) return null;
  return (
    <p className={styles.whole}>
      <span className={styles.place}>
        Row {props.row + 1}, {props.column.name}
      </span>
      <code>{props.text}</code>
    </p>
  );
}

interface RowsGridProps {
  label: string;
  store: RowStore;
  state: RowsState;
  columns: readonly GridColumn[];
  /** Where the table was scrolled to when it was last seen. */
  scrollTop: RefObject<number>;
}

export function RowsGrid({ label, store, state, columns, scrollTop }: RowsGridProps) {
  const gridId = useId();
  const box = useRef<HTMLDivElement>(null);
  const { rowCount, end } = state;
  const widths = useMemo(() => {
    const rows = Array.from({ length: Math.min(ROWS_MEASURED, rowCount) }, (_, i) => store.row(i));
    return columnWidths(
      columns.map(({ name }) => name),
      rows.filter((row) => row !== null),
      textMeasure(),
    );
    // Measured once: columns that change their width while rows come would jump.
  }, [store, columns]);
  const virtual = useVirtual(box, rowCount, widths, scrollTop.current);
  const size = { rows: rowCount, columns: columns.length };
  const { active, setActive, onKeyDown } = useActiveCell(size, virtual);
  const copying = useCopying(store, columns, rowCount, active);
  const items = virtual.rows.getVirtualItems();
  const places = useStablePlaces(virtual.columns);
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => store.want(first, last + ROWS_AHEAD), [store, first, last]);
  const width = virtual.columns.getTotalSize() + NUMBER_PX;
  const activeText = cellText(store.row(active.row)?.[active.column]);
  return (
    <>
      <div
        ref={box}
        role="grid"
        tabIndex={0}
        aria-label={label}
        aria-rowcount={end === 'reached' ? rowCount + 1 : -1}
        aria-colcount={columns.length + 1}
        aria-activedescendant={`${gridId}-${active.row}-${active.column}`}
        className={styles.grid}
        onKeyDown={(event) => {
          copying.onKeyDown(event);
          onKeyDown(event);
        }}
        onCopy={copying.onCopy}
        onScroll={(event) => {
          scrollTop.current = event.currentTarget.scrollTop;
        }}
      >
        <HeaderRow columns={columns} places={places} width={width} />
        <div
          role="rowgroup"
          className={styles.body}
          style={{ height: virtual.rows.getTotalSize(), width }}
        >
          {items.map(({ index, start }) => (
            <GridRow
              key={index % ROW_NODES}
              gridId={gridId}
              index={index}
              start={start}
              store={store}
              isHere={store.has(index)}
              columns={columns}
              places={places}
              activeColumn={index === active.row ? active.column : null}
              onActivate={setActive}
            />
          ))}
        </div>
      </div>
      <ActiveCell column={columns[active.column]} row={active.row} text={activeText} />
    </>
  );
}

/** The same array while the same columns are shown, so that rows need not be drawn again. */
function useStablePlaces(virtualizer: Scroller): readonly ColumnPlace[] {
  const items = virtualizer.getVirtualItems();
  const key = items.map(({ index, start, size }) => `${index}:${start}:${size}`).join(' ');
  return useMemo(() => items.map(({ index, start, size }) => ({ index, start, size })), [key]);
}
