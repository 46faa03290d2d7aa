/** Measures of the table of rows, and where keys lead in it. */

export const ROW_PX = 28;
export const HEADER_PX = 34;
/** Wide enough for a million. */
export const NUMBER_PX = 84;

const PADDING_PX = 26;
/** For the button of a column's menu, and the arrow that shows how it is sorted. */
const HEADER_EXTRA_PX = 32;
/** Texts of the same length may be wider than the one that is measured. */
const WIDER_LETTERS = 1.06;
const WIDTH_MIN_PX = 72;
const WIDTH_MAX_PX = 360;
/** As narrow and as wide as people may make a column. */
const CHOSEN_MIN_PX = 48;
const CHOSEN_MAX_PX = 1200;

/** Width in pixels of a text in the table; names stand in bold. */
export type MeasureText = (text: string, isBold: boolean) => number;

/** Width of each column: as its name and the longest of some of its cells need, within bounds. */
export function columnWidths(
  columns: readonly string[],
  sample: readonly (readonly string[])[],
  measure: MeasureText,
): number[] {
  return columns.map((name, index) => {
    const longest = sample.reduce((text, row) => {
      const cell = row[index] ?? '';
      return cell.length > text.length ? cell : text;
    }, '');
    const width = Math.max(
      measure(name, true) + HEADER_EXTRA_PX,
      measure(longest, false) * WIDER_LETTERS,
    );
    return Math.min(Math.max(Math.ceil(width) + PADDING_PX, WIDTH_MIN_PX), WIDTH_MAX_PX);
  });
}

export function chosenWidth(px: number): number {
  return Math.round(Math.min(Math.max(px, CHOSEN_MIN_PX), CHOSEN_MAX_PX));
}

/** The row of the columns' names, above the first one. */
export const HEADER_ROW = -1;

export interface CellPlace {
  /** `HEADER_ROW` for the header. */
  readonly row: number;
  readonly column: number;
}

export interface GridSize {
  readonly rows: number;
  readonly columns: number;
  /** Rows that fit on a screen. */
  readonly pageRows: number;
}

type Step = (place: CellPlace, size: GridSize) => Partial<CellPlace>;

const STEPS: Readonly<Record<string, Step>> = {
  ArrowUp: ({ row }) => ({ row: row - 1 }),
  ArrowDown: ({ row }) => ({ row: row + 1 }),
  ArrowLeft: ({ column }) => ({ column: column - 1 }),
  ArrowRight: ({ column }) => ({ column: column + 1 }),
  PageUp: ({ row }, { pageRows }) => ({ row: Math.max(0, row - pageRows) }),
  PageDown: ({ row }, { pageRows }) => ({ row: row + pageRows }),
  Home: () => ({ column: 0 }),
  End: (_, { columns }) => ({ column: columns - 1 }),
  'Control+Home': () => ({ row: 0, column: 0 }),
  'Control+End': (_, { rows, columns }) => ({ row: rows - 1, column: columns - 1 }),
};

/** Where a key leads from a cell; null for keys that lead nowhere. */
export function cellAfterKey(
  key: string,
  isControl: boolean,
  place: CellPlace,
  size: GridSize,
): CellPlace | null {
  const step = STEPS[isControl ? `Control+${key}` : key];
  if (!step) return null;
  const next = { ...place, ...step(place, size) };
  return {
    row: Math.max(HEADER_ROW, Math.min(next.row, size.rows - 1)),
    column: Math.max(0, Math.min(next.column, size.columns - 1)),
  };
}
