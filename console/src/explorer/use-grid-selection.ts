import {
  type ClipboardEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react';
import { plural } from '../format/texts';
import { tell } from '../ui/news';
import {
  type CellPlace,
  extendedTo,
  type GridSelection,
  type GridSize,
  HEADER_ROW,
  isOneCell,
  ROW_PX,
  rangeOf,
  rowsSelected,
  selectionAt,
  tableText,
} from './grid';
import type { Cell } from './row-store';

const NUMBER_COLUMN = -1;
const SCROLL_MS = 40;

/** The cell at a point of the window, `NUMBER_COLUMN` at a row's number; null where none is. */
function placeAt(x: number, y: number, box: HTMLElement): CellPlace | null {
  const cell = document.elementFromPoint(x, y)?.closest('[aria-colindex]');
  const row = cell?.closest('[role="row"]');
  if (!cell || !row || !box.contains(row)) return null;
  // The header is row 1, and the numbers of the rows are column 1.
  return {
    row: Number(row.getAttribute('aria-rowindex')) - 2,
    column: Number(cell.getAttribute('aria-colindex')) - 2,
  };
}

/** The point of the box that is nearest to one of the window, within its rows. */
function pointInside(box: HTMLElement, x: number, y: number, headerPx: number) {
  const { left, top } = box.getBoundingClientRect();
  const within = (value: number, from: number, to: number) => Math.max(from, Math.min(value, to));
  return {
    x: within(x, left + 2, left + box.clientWidth - 2),
    y: within(y, top + headerPx + 2, top + box.clientHeight - 2),
  };
}

interface SelectingOptions {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly size: GridSize;
  readonly headerPx: number;
  readonly begin: GridSelection;
}

export function useGridSelection({ box, size, headerPx, begin }: SelectingOptions) {
  const [selection, setSelection] = useState(begin);
  /** The mouse's place while it draws a selection. */
  const drawing = useRef<{ x: number; y: number; ofRows: number | null } | null>(null);

  const extendToMouse = () => {
    if (!drawing.current || !box.current) return;
    const { x, y, ofRows } = drawing.current;
    const inside = pointInside(box.current, x, y, headerPx);
    const place = placeAt(inside.x, inside.y, box.current);
    if (place === null || place.row === HEADER_ROW) return;
    setSelection((before) =>
      ofRows === null
        ? extendedTo(before, { row: place.row, column: Math.max(0, place.column) })
        : rowsSelected(place.row, size.columns, ofRows),
    );
  };

  // Beyond the edge, rows and columns go on coming.
  useEffect(() => {
    const timer = setInterval(() => {
      if (!drawing.current || !box.current) return;
      const { x, y } = drawing.current;
      const inside = pointInside(box.current, x, y, headerPx);
      if (inside.x === x && inside.y === y) return;
      box.current.scrollBy(Math.sign(x - inside.x) * ROW_PX, Math.sign(y - inside.y) * ROW_PX * 2);
      extendToMouse();
    }, SCROLL_MS);
    return () => clearInterval(timer);
  });

  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    // Fingers scroll.
    if (event.button !== 0 || event.pointerType === 'touch' || !box.current) return;
    const place = placeAt(event.clientX, event.clientY, box.current);
    if (place === null || place.row === HEADER_ROW) return;
    const isNumber = place.column === NUMBER_COLUMN;
    drawing.current = {
      ...{ x: event.clientX, y: event.clientY },
      ofRows: isNumber ? place.row : null,
    };
    box.current.setPointerCapture(event.pointerId);
    setSelection((before) => {
      const from = event.shiftKey ? before.anchor.row : place.row;
      if (isNumber) return rowsSelected(place.row, size.columns, from);
      return event.shiftKey ? extendedTo(before, place) : selectionAt(place);
    });
  };
  const onPointerMove = ({ clientX, clientY }: PointerEvent) => {
    if (!drawing.current) return;
    drawing.current = { ...drawing.current, x: clientX, y: clientY };
    extendToMouse();
  };
  const onPointerEnd = () => {
    drawing.current = null;
  };
  const onClick = ({ clientX, clientY, nativeEvent }: React.MouseEvent) => {
    const isTouch = (nativeEvent as globalThis.PointerEvent).pointerType === 'touch';
    const place = isTouch && box.current ? placeAt(clientX, clientY, box.current) : null;
    if (place && place.row >= 0 && place.column >= 0) setSelection(selectionAt(place));
  };
  return {
    selection,
    setSelection,
    pointer: {
      ...{ onPointerDown, onPointerMove, onClick },
      ...{ onPointerUp: onPointerEnd, onPointerCancel: onPointerEnd },
    },
  };
}

/** Copies one cell as it is, and several as a table with the names of their columns. */
export function useGridCopy(
  names: readonly string[],
  row: (index: number) => readonly Cell[] | null,
  selection: GridSelection,
) {
  return (event: ClipboardEvent) => {
    const range = rangeOf(selection);
    event.preventDefault();
    if (range === null) {
      event.clipboardData.setData('text/plain', names[selection.active.column] ?? '');
      return;
    }
    const { rows, columns } = range;
    const isOne = isOneCell(range);
    const text = isOne ? (row(rows[0])?.[columns[0]] ?? '') : tableText(names, row, range);
    if (text === null) {
      tell({ title: 'Too many cells to copy. Download the file instead.' });
      return;
    }
    event.clipboardData.setData('text/plain', text);
    if (isOne) return;
    const amounts = [
      plural(rows[1] - rows[0] + 1, 'row'),
      plural(columns[1] - columns[0] + 1, 'column'),
    ];
    tell({ title: `Copied ${amounts.join(', ')}` });
  };
}
