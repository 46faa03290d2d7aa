import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import edges from './edge-shadows.module.css';
import styles from './table.module.css';

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

export interface TableColumn<T> {
  /** Tells columns apart, too. */
  readonly header: string;
  readonly cell: (row: T) => ReactNode;
  /** Figures are aligned at their last digit. */
  readonly isNumeric?: boolean;
  /** Sentences are broken into lines. */
  readonly isWrapped?: boolean;
  /** Stays in sight at the end of the table, also where the rest has to be scrolled. */
  readonly isPinned?: boolean;
  /** Names the row; at most one column. */
  readonly isRowHeader?: boolean;
}

/** Names the rows; long names are broken into lines. */
export function nameColumn<T>(header: string, cell: TableColumn<T>['cell']): TableColumn<T> {
  return { header, cell, isRowHeader: true, isWrapped: true };
}

interface TableProps<T> {
  /** Read out, not shown. */
  caption: string;
  columns: readonly TableColumn<T>[];
  rows: readonly T[];
  rowKey: (row: T) => string | number;
  empty?: ReactNode;
  /** For tables with many columns: smaller text and less space. */
  isDense?: boolean;
}

/**
 * Records of one kind; wider than the screen, it scrolls by itself, can be scrolled by keyboard,
 * and has a shadow at the edge where it is cut.
 */
export function Table<T>(props: TableProps<T>) {
  const { caption, columns, rows, rowKey, empty = 'None', isDense } = props;
  const scrolled = useRef<HTMLElement>(null);
  const isPinned = columns.some((column) => column.isPinned);
  return (
    <div
      className={`${edges.edges} ${styles.frame} ${isPinned ? styles.withPinned : ''}`}
      data-cut={useCutEdges(scrolled)}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll what has the focus */}
      <section ref={scrolled} className={styles.scroll} tabIndex={0} aria-label={caption}>
        <table className={`${styles.table} ${isDense ? styles.dense : ''}`}>
          <caption className="visually-hidden">{caption}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.header} scope="col" className={headerClass(column)}>
                  {column.header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={rowKey(row)}>
                {columns.map((column) => (
                  <Cell key={column.header} column={column} row={row} />
                ))}
              </tr>
            ))}
            {rows.length === 0 && (
              <tr>
                <td colSpan={columns.length} className={styles.empty}>
                  {empty}
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </section>
    </div>
  );
}

function headerClass<T>({ isNumeric, isPinned }: TableColumn<T>): string | undefined {
  if (isNumeric) return styles.numeric;
  return isPinned ? styles.pinned : undefined;
}

function cellClass<T>({ isNumeric, isWrapped, isPinned }: TableColumn<T>): string | undefined {
  if (isNumeric) return styles.numeric;
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
