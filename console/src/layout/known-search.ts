import { useNavigate, useSearch } from '@tanstack/react-router';

type Search = Readonly<Record<string, unknown>>;

/**
 * Reads the search of an address, and takes out of it what `read` does not give: the router would
 * leave that as it stood there.
 */
export function knownSearch<S extends object>(read: (search: Search) => S) {
  return (search: Search): S => ({
    ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])),
    ...read(search),
  });
}

/** The search of the address, as `read` understands it, and how to put another in its place. */
export function useKnownSearch<S extends object>(read: (search: Search) => S) {
  const search = read(useSearch({ strict: false }));
  const navigate = useNavigate();
  const change = (next: S) =>
    void navigate({ to: '.', search: next as never, replace: true, resetScroll: false });
  return [search, change] as const;
}
