import { useNavigate, useSearch } from '@tanstack/react-router';

import type { TableView } from '../ui/table-view';

export type Search = Readonly<Record<string, unknown>>;

/**
 * Reads the search of an address, and takes out of it what `read` does not give: the router would
 * leave that as it stood there.
 */
export function knownSearch<S extends object>(read: (search: Search) => S) {
  return (search: Search): S => ({
    ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])),
    ...readTableView(search),
    ...read(search),
  });
}

/** How the list of a screen is looked at. */
function readTableView(search: Search): TableView {
  return readEach(['order', 'hide', 'page'], search, textOf);
}

/** How the list of a screen is looked at, which the address keeps, and how to look otherwise. */
export function useTableView() {
  const known: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const look = (view: TableView) => {
    const { order: _, hide: __, page: ___, ...others } = known;
    const search = { ...others, ...view } as never;
    void navigate({ to: '.', search, replace: true, resetScroll: false });
  };
  return [readTableView(known), look] as const;
}

/** A text of an address, which may read as a number; undefined where there is none. */
export function textOf(value: unknown): string | undefined {
  const isText = typeof value === 'string' || typeof value === 'number';
  return isText && value !== '' ? String(value) : undefined;
}

/** A day of an address as `YYYY-MM-DD`; undefined where it is none. */
export function dayOf(value: unknown): string | undefined {
  const text = textOf(value) ?? '';
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
  return isDay ? text : undefined;
}

/** The values of these names, as `read` understands them, without those that are undefined. */
export function readEach<Name extends string>(
  names: readonly Name[],
  search: Search,
  read: (value: unknown) => string | undefined,
): Readonly<Partial<Record<Name, string>>> {
  const values = names.map((name) => [name, read(search[name])] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as Partial<
    Record<Name, string>
  >;
}

/** The search of a table that the address keeps. */
export function readSearchText(search: Search): { q?: string } {
  return readEach(['q'], search, textOf);
}

/** `new`: to generate a key is what the person came for. */
export function readKeysSearch(search: Search): { q?: string; new?: true } {
  return { ...readSearchText(search), ...(search.new === true && { new: true }) };
}

/** Reads the tab of an address, if it is one of these. */
export function readTab<Tab extends string>(tabs: readonly Tab[], search: Search): { tab?: Tab } {
  const tab = tabs.find((name) => name === search.tab);
  return tab === undefined ? {} : { tab };
}

/**
 * The search of the address, as `read` understands it, how to put another in its place, and what
 * fields of its texts are given.
 */
export function useKnownSearch<S extends object>(read: (search: Search) => S) {
  const known: Search = useSearch({ strict: false });
  const search = read(known);
  const navigate = useNavigate();
  const change = (next: S | Search) => {
    // Another choice of rows begins at its first page, and another tab has another table.
    const isOtherTab = (next as Search).tab !== known.tab;
    const { order, hide } = isOtherTab ? {} : readTableView(known);
    const search = { ...read(next as Search), order, hide, page: undefined } as never;
    void navigate({ to: '.', search, replace: true, resetScroll: false });
  };
  const field = (name: keyof S & string) => ({
    ...{ name, value: textOf(search[name]) ?? '' },
    onValueChange: (value: string) => change({ ...search, [name]: value || undefined }),
  });
  return [search, change, field] as const;
}
