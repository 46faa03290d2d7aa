// biome-ignore-all lint/a11y/useSemanticElements: a virtual table cannot be a <table>
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: the grid has the focus
import { useVirtualizer, type VirtualItem, type Virtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useId,
  useMemo,
  useRef,
} from 'react';
import { countText, plural } from '../format/texts';
import { CheckboxField } from '../ui/checkbox-field';
import edges from '../ui/edge-shadows.module.css';
import { FailureNotice, Notice } from '../ui/page';
import { useCutEdges } from '../ui/table';
import explorerScreenStyles from './explorer-screen.module.css';
import {
  type CellPlace,
  type CellRange,
  type GridSelection,
  type GridSize,
  HEADER_PX,
  HEADER_ROW,
  numberPx,
  ROW_PX,
  rangeOf,
  START,
  selectionAfterKey,
  selectionAt,
  sortedOnce,
} from './grid';
import { type GridColumn, type ShownColumn, useShownColumns } from './grid-columns';
import {
  type ColumnPlace,
  cellId,
  type GridFrame,
  GridRow,
  type HeaderActs,
  HeaderRow,
  menuId,
} from './grid-parts';
import type { RowStore, RowsState } from './row-store';
import styles from './rows-grid.module.css';
import { StopButton } from './stop-button';
import { useGridCopy, useGridSelection } from './use-grid-selection';

const ROWS_OVERSCAN = 10;
const COLUMNS_OVERSCAN = 2;
/** Rows that are read before they are scrolled to. */
const ROWS_AHEAD = 1500;
/**
 * No fewer than are drawn at once, as the table is at most 760 pixels high: nodes of rows that
 * leave the screen are taken for those that enter.
 */
const ROW_NODES = 48;
const NOT_SELECTED = [-1, -1] as const;

type Scroller = Virtualizer<HTMLDivElement, Element>;

/** Kept of a table whose rows come anew as they are sorted anew. */
export interface KeptGrid {
  /** The keyboard's place; null: elsewhere. */
  selection: GridSelection | null;
}

interface Sizes {
  readonly rowCount: number;
  readonly columns: readonly ShownColumn[];
  readonly pinnedCount: number;
  readonly fixedPx: number;
}

function useVirtual(
  box: RefObject<HTMLDivElement | null>,
  { rowCount, columns: shown, pinnedCount, fixedPx }: Sizes,
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
    count: shown.length - pinnedCount,
    getScrollElement: () => box.current,
    estimateSize: (index) => shown[index + pinnedCount]?.width ?? 0,
    overscan: COLUMNS_OVERSCAN,
    scrollPaddingEnd: fixedPx,
  });
  // Widths are known only with the first rows, and people change them.
  useEffect(() => {
    if (shown.length > 0) columns.measure();
  }, [columns, shown]);
  return { rows, columns };
}

/** One array while the columns stay, so that rows need not be drawn again. */
function useStablePlaces(virtualizer: Scroller, pinnedCount: number): readonly ColumnPlace[] {
  const items = virtualizer.getVirtualItems();
  const key = `${pinnedCount} ${items.map(({ index, start }) => `${index}:${start}`).join(' ')}`;
  return useMemo(
    () => items.map(({ index, start }) => ({ column: index + pinnedCount, start })),
    [key],
  );
}

function selectedIn(range: CellRange | null, row: number): readonly [number, number] {
  return range && row >= range.rows[0] && row <= range.rows[1] ? range.columns : NOT_SELECTED;
}

/** Shows the full value of the active cell, which the cell may be too narrow for. */
function ActiveCell(props: { column: ShownColumn | undefined; row: number; text: string }) {
  if (!props.column || props.row === HEADER_ROW) return null;
  return (
    <p className={styles.whole}>
      <span className={styles.place}>
        Row {props.row + 1}, {props.column.name}
      </span>
      <code>{props.text}</code>
    </p>
  );
}

interface KeyActs {
  readonly selection: GridSelection;
  readonly setSelection: (selection: GridSelection) => void;
  readonly size: Omit<GridSize, 'pageRows'>;
  readonly scrollTo: (row: number, column: number) => void;
  readonly onHeaderKey: (event: KeyboardEvent, column: number) => boolean;
}

/** Keys that sort or open a menu at the header, and move or select elsewhere. */
function useKeys({ selection, setSelection, size, scrollTo, onHeaderKey }: KeyActs) {
  return (event: KeyboardEvent<HTMLDivElement>) => {
    const { active } = selection;
    // Menus of columns hear their own keys.
    if (!event.currentTarget.contains(event.target as Node)) return;
    if (active.row === HEADER_ROW && onHeaderKey(event, active.column)) {
      event.preventDefault();
      return;
    }
    const px = event.currentTarget.clientHeight - HEADER_PX;
    const pageRows = Math.max(1, Math.floor(px / ROW_PX));
    const key = {
      ...{ key: event.key, isShift: event.shiftKey },
      isControl: event.ctrlKey || event.metaKey,
    };
    const next = selectionAfterKey(key, selection, { ...size, pageRows });
    if (next === null) return;
    event.preventDefault();
    setSelection(next);
    const isMove = next.active.row !== active.row || next.active.column !== active.column;
    const isWhole = event.key.toLowerCase() === 'a' || event.key === ' ';
    if (isMove && !isWhole) scrollTo(next.active.row, next.active.column);
  };
}

/** Sorting, whose rows come in a table anew: the keyboard goes on where it was. */
function useHeaderActs(
  gridId: string,
  shown: readonly ShownColumn[],
  acts: HeaderActs,
  kept: RefObject<KeptGrid>,
) {
  const sortAt = (column: number, sort: Parameters<HeaderActs['onSort']>[0]) => {
    kept.current.selection = selectionAt({ row: HEADER_ROW, column });
    acts.onSort(sort);
  };
  const onSort: HeaderActs['onSort'] = (sort) => {
    const column = shown.findIndex(({ name }) => name === sort.at(-1)?.column);
    sortAt(Math.max(0, column), sort);
  };
  const onHide = (column: string) => {
    const at = shown.findIndex(({ name }) => name === column);
    kept.current.selection = selectionAt({ row: HEADER_ROW, column: Math.max(0, at - 1) });
    acts.onHide?.(column);
  };
  const onHeaderKey = (event: KeyboardEvent, column: number) => {
    const isMenu = event.altKey && event.key === 'ArrowDown';
    if (isMenu) document.getElementById(menuId(gridId, column))?.click();
    if (event.key !== 'Enter') return isMenu;
    sortAt(column, sortedOnce(acts.sort, shown[column]!.name, event.shiftKey));
    return true;
  };
  return { headerActs: { ...acts, onSort, onHide: acts.onHide && onHide }, onHeaderKey };
}

interface BodyProps {
  items: readonly VirtualItem[];
  height: number;
  width: number;
  range: CellRange | null;
  active: CellPlace;
  store: RowStore;
  drawn: GridFrame;
}

function GridBody({ items, height, width, range, active, store, drawn }: BodyProps) {
  return (
    <div role="rowgroup" className={styles.body} style={{ height, width }}>
      {items.map(({ index, start }) => {
        const [selectedFirst, selectedLast] = selectedIn(range, index);
        return (
          <GridRow
            key={index % ROW_NODES}
            {...drawn}
            {...{ index, start, store, selectedFirst, selectedLast }}
            isHere={store.has(index)}
            activeColumn={index === active.row ? active.column : null}
          />
        );
      })}
    </div>
  );
}

interface RowsGridProps {
  store: RowStore;
  state: RowsState;
  columns: readonly GridColumn[];
  scrollTop: RefObject<number>;
  acts: HeaderActs;
  kept: RefObject<KeptGrid>;
}

function useGrid({ store, state, columns, scrollTop, acts, kept }: RowsGridProps) {
  const gridId = useId();
  const box = useRef<HTMLDivElement>(null);
  const { rowCount } = state;
  const shown = useShownColumns(store, columns, rowCount, acts.look);
  const pinned = shown.filter(({ isPinned }) => isPinned);
  const { length: pinnedCount } = pinned;
  const fixedPx = pinned.reduce((sum, { width }) => sum + width, numberPx(rowCount));
  const sizes = { rowCount, columns: shown, pinnedCount, fixedPx };
  const virtual = useVirtual(box, sizes, scrollTop.current);
  const size = { rows: rowCount, columns: shown.length };
  const { selection, setSelection, pointer } = useGridSelection({
    ...{ box, headerPx: HEADER_PX, begin: kept.current.selection ?? START },
    size: { ...size, pageRows: 1 },
  });
  useEffect(() => {
    if (kept.current.selection) box.current?.focus({ preventScroll: true });
    kept.current.selection = null;
  }, [kept]);
  const { headerActs, onHeaderKey } = useHeaderActs(gridId, shown, acts, kept);
  const scrollTo = (row: number, column: number) => {
    if (row !== HEADER_ROW) virtual.rows.scrollToIndex(row, { align: 'auto' });
    if (column < pinnedCount) return;
    virtual.columns.scrollToIndex(column - pinnedCount, { align: 'auto' });
  };
  const onKeyDown = useKeys({ selection, setSelection, size, scrollTo, onHeaderKey });
  const names = shown.map(({ name }) => name);
  const rowOf = (index: number) => {
    const row = store.row(index);
    return row && shown.map((column) => row[column.index] ?? null);
  };
  const onCopy = useGridCopy(names, rowOf, selection);
  const items = virtual.rows.getVirtualItems();
  const places = useStablePlaces(virtual.columns, pinnedCount);
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => store.want(first, last + ROWS_AHEAD), [store, first, last]);
  return {
    ...{ box, items, headerActs, rowOf, active: selection.active, range: rangeOf(selection) },
    drawn: { gridId, columns: shown, pinnedCount, fixedPx, places },
    height: virtual.rows.getTotalSize(),
    width: virtual.columns.getTotalSize() + fixedPx,
    on: { onKeyDown, onCopy, ...pointer },
  };
}

function RowsGrid(props: RowsGridProps) {
  const { store, state, columns, scrollTop } = props;
  const { box, items, headerActs, rowOf, active, range, drawn, height, width, on } = useGrid(props);
  const sizes = { '--fixed': `${drawn.fixedPx}px`, '--number': `${numberPx(state.rowCount)}px` };
  const cut = useCutEdges(box);
  return (
    <>
      <div
        className={`${edges.edges} ${styles.frame}`}
        data-cut={cut}
        style={sizes as CSSProperties}
      >
        <div
          ref={box}
          role="grid"
          tabIndex={0}
          aria-label="Result rows"
          aria-multiselectable
          aria-rowcount={state.end === 'reached' ? state.rowCount + 1 : -1}
          aria-colcount={columns.length + 1}
          aria-activedescendant={cellId(drawn.gridId, active.row, active.column)}
          className={styles.grid}
          {...on}
          onScroll={(event) => {
            scrollTop.current = event.currentTarget.scrollTop;
          }}
        >
          <HeaderRow
            {...drawn}
            width={width}
            activeColumn={active.row === HEADER_ROW ? active.column : null}
            acts={headerActs}
            grid={box}
          />
          <GridBody {...{ items, height, width, range, active, store, drawn }} />
        </div>
      </div>
      <ActiveCell
        column={drawn.columns[active.column]}
        row={active.row}
        text={rowOf(active.row)?.[active.column] ?? ''}
      />
    </>
  );
}

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

interface RowsPanelProps extends RowsGridProps {
  /** The window that the rows lie in, where the query names no days; else ''. */
  lookBack: string;
}

export function RowsPanel({ lookBack, ...grid }: RowsPanelProps) {
  const { store, state } = grid;
  const { error, rowCount, end } = state;
  const { look, onLook } = grid.acts;
  return (
    <div className={explorerScreenStyles.panel}>
      {state.missing !== null && (
        <Notice kind="info" title="Identifiers are missing">
          {state.missing}. They are unknown, have no rows on these dates, or are not for your
          account.
        </Notice>
      )}
      {rowCount > 0 && <RowsGrid {...grid} />}
      <div className={explorerScreenStyles.above}>
        <p role="status" className={explorerScreenStyles.status}>
          {statusText(state, lookBack)}
          {state.datasetVersion !== null && ` · version ${state.datasetVersion}`}
        </p>
        <StopButton isReading={state.isReading} onStop={() => store.halt()} />
        {rowCount > 0 && (
          <CheckboxField
            label="Thousands separators"
            name="separators"
            value={look.hasSeparators}
            onValueChange={(hasSeparators) => onLook({ ...look, hasSeparators })}
          />
        )}
      </div>
      {rowCount === 0 && end === 'reached' && (
        <Notice kind="info" title="No rows">
          {state.hint ??
            'No rows match the query. Check for a date without trading, an unknown identifier or a filter that is too narrow.'}
        </Notice>
      )}
      {error !== null && (
        <FailureNotice
          title={rowCount > 0 ? 'Couldn’t load more rows' : 'The query failed'}
          error={error}
          onRetry={() => store.retry()}
        />
      )}
    </div>
  );
}
