import { ArrowDown, ArrowUp, ChevronLeft, ChevronRight } from 'lucide-react';
import { lazy, type ReactNode, type RefObject, Suspense, useEffect, useRef, useState } from 'react';
import { loadPart } from '../api/server-back';
import { countText } from '../format/texts';
import { Button } from './button';
import edges from './edge-shadows.module.css';
import styles from './table.module.css';
import {
  nextOrder,
  pageOf,
  shownColumns,
  sorted,
  type TableView,
  type ViewedColumn,
} from './table-view';
import { MomentText, TwoLines } from './texts';

/** Loaded where there are any: the menu of columns is large. */
const TableTools = lazy(() => loadPart(() => import('./table-tools')));

type CutEdges = 'start' | 'end' | 'both' | undefined;

/** Distances that zoomed browsers leave at the end of a scroll. */
const SLACK_PX = 1;

function cutEdges({ scrollLeft, scrollWidth, clientWidth }: Element): CutEdges {
  const isCutAtStart = scrollLeft > SLACK_PX;
  const isCutAtEnd = scrollWidth - clientWidth - scrollLeft > SLACK_PX;
  if (isCutAtStart && isCutAtEnd) return 'both';
  if (isCutAtStart) return 'start';
  return isCutAtEnd ? 'end' : undefined;
}

/** At which edges an element that scrolls sideways hides some of what its first child shows. */
export function useCutEdges(scrolled: RefObject<HTMLElement | null>): CutEdges {
  const [cut, setCut] = useState<CutEdges>();
  useEffect(() => {
    const element = scrolled.current;
    if (!element) return undefined;
    const update = () => setCut(cutEdges(element));
    const observer = new ResizeObserver(update);
    observer.observe(element);
    if (element.firstElementChild) observer.observe(element.firstElementChild);
    element.addEventListener('scroll', update, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', update);
    };
  }, [scrolled]);
  return cut;
}

export interface TableColumn<T> extends ViewedColumn<T> {
  /** Sentences are broken into lines. */
  readonly isWrapped?: boolean;
}

/** Names the rows; long names are broken into lines. */
export function nameColumn<T>(
  header: string,
  cell: TableColumn<T>['cell'],
  by?: TableColumn<T>['by'],
): TableColumn<T> {
  return { header, cell, ...(by && { by }), isRowHeader: true, isWrapped: true };
}

interface OfDataset {
  readonly dataset_id: string;
  readonly dataset_name: string | null;
}

/** Names rows by their dataset: its name, or what stands for that, over its id. */
export function datasetColumn<T extends OfDataset>(name: (row: T) => ReactNode): TableColumn<T> {
  const cell = (row: T) => <TwoLines first={name(row)} second={row.dataset_id} />;
  return nameColumn('Dataset', cell, 'dataset_name');
}

/** An amount, and the text that shows it. */
export function figureColumn<T>(
  header: string,
  by: keyof T & string,
  text: (amount: number) => string = countText,
): TableColumn<T> {
  return { header, by, isNumeric: true, cell: (row) => text(row[by] as number) };
}

export function momentColumn<T>(header: string, by: keyof T & string, absent = '–') {
  const cell = (row: T) => <MomentText time={row[by] as string} isShort absent={absent} />;
  return { header, by, cell };
}

interface TableProps<T> {
  /** Read out, not shown. */
  caption: string;
  columns: readonly TableColumn<T>[];
  rows: readonly T[];
  rowKey: (row: T) => string | number;
  empty?: ReactNode;
  /** How many rows there are, or what they come to. */
  summary?: ReactNode;
  /** For tables with many columns: smaller text and less space. */
  isDense?: boolean;
  /** Rows are read when they are asked for, and all stand on one page; true: there are more. */
  isPart?: boolean;
  /** Kept elsewhere, such as in the address, for a list with tools; absent: by the table itself. */
  kept?: readonly [view: TableView, onView: (view: TableView) => void];
}

/**
 * Records of one kind; wider than the screen, it scrolls by itself, can be scrolled by keyboard,
 * and has a shadow at the edge where it is cut.
 */
export function Table<T>(props: TableProps<T>) {
  const { caption, rows, rowKey, empty = 'None', summary, isDense, isPart, kept } = props;
  const scrolled = useRef<HTMLElement>(null);
  const own = useState<TableView>({});
  const [view, onView] = kept ?? own;
  const columns = shownColumns(props.columns, view);
  const ordered = sorted(rows, columns, view);
  const isGrowing = isPart !== undefined;
  const page = isGrowing ? { number: 1, count: 1, rows: ordered } : pageOf(ordered, view);
  const isPinned = columns.some((column) => column.isPinned);
  const cut = useCutEdges(scrolled);
  const table = (
    <div
      className={`${edges.edges} ${styles.frame} ${isPinned ? styles.withPinned : ''}`}
      data-cut={cut}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll what has the focus */}
      <section ref={scrolled} className={styles.scroll} tabIndex={0} aria-label={caption}>
        <table className={`${styles.table} ${isDense ? styles.dense : ''}`}>
          <caption className="visually-hidden">{caption}</caption>
          {rows.length > 0 && (
            <thead>
              <tr>
                {columns.map((column) => (
                  <Header key={column.header} {...{ column, rows, view, onView }} />
                ))}
              </tr>
            </thead>
          )}
          <tbody>
            {page.rows.map((row) => (
              <tr key={rowKey(row)}>
                {columns.map((column) => (
                  <Cell key={column.header} column={column} row={row} />
                ))}
              </tr>
            ))}
            {rows.length === 0 && (
              <tr>
                <td className={styles.empty}>{empty}</td>
              </tr>
            )}
          </tbody>
        </table>
      </section>
    </div>
  );
  const hasTools = kept !== undefined && rows.length > 1;
  return (
    <>
      {(summary || hasTools) && (
        <div className={styles.tools}>
          {summary}
          {hasTools && (
            <Suspense>
              <TableTools
                {...{ caption, view, onView }}
                isPart={isPart ?? false}
                columns={props.columns as readonly ViewedColumn<unknown>[]}
                shown={columns as readonly ViewedColumn<unknown>[]}
                rows={ordered}
              />
            </Suspense>
          )}
        </div>
      )}
      {table}
      {page.count > 1 && <Pages number={page.number} count={page.count} {...{ view, onView }} />}
    </>
  );
}

interface Looked {
  view: TableView;
  onView: (view: TableView) => void;
}

type PagesProps = Looked & { number: number; count: number };

function Pages({ number, count, view, onView }: PagesProps) {
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

interface HeaderProps<T> extends Looked {
  column: TableColumn<T>;
  rows: readonly T[];
}

/** A button where there is something to sort. */
function Header<T>({ column, rows, view, onView }: HeaderProps<T>) {
  const { header } = column;
  const isSortable = rows.length > 1 && column.by !== undefined;
  const isUp = view.order === header;
  const isDown = view.order === `-${header}`;
  const sort = () => {
    const { order: _, page: __, ...others } = view;
    const order = nextOrder(view.order, header);
    onView(order === undefined ? others : { ...others, order });
  };
  const direction = isDown ? 'descending' : 'none';
  const Arrow = isUp ? ArrowUp : ArrowDown;
  return (
    <th
      scope="col"
      className={cellClass({ ...column, isWrapped: false })}
      aria-sort={isSortable ? (isUp ? 'ascending' : direction) : undefined}
    >
      {isSortable ? (
        <button type="button" className={styles.sort} onClick={sort}>
          {header}
          {(isUp || isDown) && <Arrow size={13} aria-hidden />}
        </button>
      ) : (
        header
      )}
    </th>
  );
}

function cellClass<T>(column: TableColumn<T>): string | undefined {
  const { isNumeric, isWrapped, isPinned, isRowHeader } = column;
  if (isNumeric) return `${styles.numeric} ${isRowHeader ? styles.held : ''}`;
  if (isPinned) return styles.pinned;
  return isWrapped ? styles.wrapped : undefined;
}

function Cell<T>({ column, row }: { column: TableColumn<T>; row: T }) {
  const className = cellClass(column);
  if (column.isRowHeader) {
    return (
      <th scope="row" className={className}>
        {column.cell(row)}
      </th>
    );
  }
  return <td className={className}>{column.cell(row)}</td>;
}
