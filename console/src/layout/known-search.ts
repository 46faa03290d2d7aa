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
