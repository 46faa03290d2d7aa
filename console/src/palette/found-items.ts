/** Everything that has a name, and the ways there. */
import { holdsAll } from '../format/texts';

export interface PaletteItem {
  readonly label: string;
  readonly hint?: string;
  readonly run: () => void;
}

export interface PaletteGroup {
  readonly kind: string;
  readonly items: readonly PaletteItem[];
  /** Already chosen by the text, by a search of the service. */
  readonly isFound?: boolean;
  /** Shown before anything is typed. */
  readonly isFirst?: boolean;
}

const SHOWN_MAX = 6;

/** The items of each kind that hold all words; those that begin like the text come first. */
export function foundGroups(groups: readonly PaletteGroup[], text: string) {
  const words = text.trim().toLowerCase();
  const begins = ({ label }: PaletteItem) => label.toLowerCase().startsWith(words);
  return groups
    .filter(({ isFirst }) => words !== '' || isFirst)
    .map(({ kind, items, isFound }) => {
      const found = isFound
        ? items
        : items.filter(({ label, hint = '' }) => holdsAll(`${label} ${hint}`, words));
      const ordered = [...found.filter(begins), ...found.filter((item) => !begins(item))];
      return { kind, items: words === '' ? ordered : ordered.slice(0, SHOWN_MAX) };
    })
    .filter(({ items }) => items.length > 0);
}
