import { useMemo } from 'react';
import { type CellFormat, cellText, decimalsOf, isNumeric, withEqualPrices } from '../format/cells';
import type { ShapeColumn } from './dataset-shape';
import { columnWidths, type GridLook, inOrder, type MeasureText } from './grid';
import type { RowStore } from './row-store';

const FONT_SIZE = '13px';

function textMeasure(): MeasureText {
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) throw new Error('the browser cannot measure text');
  const { fontFamily } = getComputedStyle(document.body);
  return (text, isBold) => {
    context.font = `${isBold ? 600 : 400} ${FONT_SIZE} ${fontFamily}`;
    // Digits of the table are all as wide as this one, and hyphens beside them too.
    return context.measureText(text.replaceAll(/[\d-]/g, '0')).width;
  };
}

const ROWS_MEASURED = 200;

export interface GridColumn {
  readonly name: string;
  readonly dataType: ShapeColumn['data_type'] | null;
  /** Numbers of identifiers are names. */
  readonly isIdentifier: boolean;
}

export interface ShownColumn extends GridColumn {
  readonly index: number;
  /** Null for texts, which are shown as they are. */
  readonly format: CellFormat | null;
  readonly width: number;
  readonly isPinned: boolean;
}

interface Measured {
  readonly width: number;
  readonly decimals: number;
}

function useMeasured(
  store: RowStore,
  columns: readonly GridColumn[],
  rowCount: number,
  hasSeparators: boolean,
): readonly Measured[] {
  return useMemo(() => {
    const indexes = Array.from({ length: Math.min(ROWS_MEASURED, rowCount) }, (_, index) => index);
    const rows = indexes.flatMap((index) => {
      const row = store.row(index);
      return row ? [row] : [];
    });
    const names = columns.map(({ name }) => name);
    const own = columns.map(({ dataType }, column) =>
      decimalsOf(
        dataType,
        rows.map((row) => row[column]),
      ),
    );
    const decimals = withEqualPrices(names, own);
    const texts = rows.map((row) =>
      columns.map(({ dataType }, column) => {
        const format = { decimals: decimals[column]!, hasSeparators };
        return cellText(row[column], isNumeric(dataType) ? format : null);
      }),
    );
    const widths = columnWidths(names, texts, textMeasure());
    return columns.map((_, column) => ({ width: widths[column]!, decimals: decimals[column]! }));
    // Measured once: columns that change their width while rows come would jump.
  }, [store, columns, hasSeparators]);
}

export function useShownColumns(
  store: RowStore,
  columns: readonly GridColumn[],
  rowCount: number,
  look: GridLook,
): readonly ShownColumn[] {
  const measured = useMeasured(store, columns, rowCount, look.hasSeparators);
  return useMemo(() => {
    const shown = columns.map((column, index): ShownColumn => {
      const { name, dataType, isIdentifier } = column;
      const { width, decimals } = measured[index]!;
      const hasSeparators = look.hasSeparators && !isIdentifier;
      return {
        ...column,
        index,
        format: isNumeric(dataType) ? { decimals, hasSeparators } : null,
        width: look.widths[name] ?? width,
        isPinned: look.pinned.includes(name),
      };
    });
    return inOrder(shown, look);
  }, [columns, measured, look]);
}
