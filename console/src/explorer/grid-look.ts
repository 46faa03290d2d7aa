/** What people make of the table: kept while they ask one dataset, whatever else they ask of it. */
import { chosenWidth } from './grid-layout';

export interface GridLook {
  /** Pixels by column, of those that were resized. */
  readonly widths: Readonly<Record<string, number>>;
  /** Columns that stay at the left edge. */
  readonly pinned: readonly string[];
  readonly hasSeparators: boolean;
}

/** Remembered by the browser, as it is a matter of taste and not of the dataset. */
const STORAGE_KEY = 'ticklake-thousands-separators';

export const PLAIN_LOOK: GridLook = { widths: {}, pinned: [], hasSeparators: false };

export function withWidth(look: GridLook, column: string, px: number): GridLook {
  return { ...look, widths: { ...look.widths, [column]: chosenWidth(px) } };
}

/** As wide as its values need. */
export function withFittingWidth(look: GridLook, column: string): GridLook {
  const { [column]: _, ...widths } = look.widths;
  return { ...look, widths };
}

export function withPin(look: GridLook, column: string, isPinned: boolean): GridLook {
  const others = look.pinned.filter((name) => name !== column);
  return { ...look, pinned: isPinned ? [...others, column] : others };
}

/** Pinned columns first, in the order in which they were pinned, then the others. */
export function inOrder<T extends { readonly name: string }>(
  columns: readonly T[],
  { pinned }: GridLook,
): readonly T[] {
  const place = ({ name }: T) => {
    const at = pinned.indexOf(name);
    return at === -1 ? pinned.length : at;
  };
  return columns.toSorted((a, b) => place(a) - place(b));
}

export function rememberedLook(): GridLook {
  return { ...PLAIN_LOOK, hasSeparators: localStorage.getItem(STORAGE_KEY) === 'true' };
}

export function rememberLook({ hasSeparators }: GridLook): void {
  localStorage.setItem(STORAGE_KEY, String(hasSeparators));
}
