/**
 * Puts modules together in few files, as each costs a slow connection a round trip, and documents
 * wait for all that they import at once.
 */
import type { Rolldown } from 'vite';

const MADE_BY_VITE = '\0vite';

/** The modules that a document imports at once, and these in turn. */
function modulesOf(document: string, graph: Rolldown.ChunkingContext): ReadonlySet<string> {
  const found = new Set([document]);
  for (const id of found) {
    for (const next of graph.getModuleInfo(id)?.importedIds ?? []) found.add(next);
  }
  return found;
}

/**
 * `documents`: paths of HTML files by the names of their shared modules' files; the first one needs
 * nearly all that the second one needs, which is in the file `base`.
 */
export function chunkGroups(documents: Readonly<Record<string, string>>) {
  const names = Object.keys(documents);
  let sets: readonly ReadonlySet<string>[] | undefined;
  const fileOf = (id: string, graph: Rolldown.ChunkingContext) => {
    sets ??= Object.values(documents).map((path) => modulesOf(path, graph));
    const [first = '', ...others] = names.filter((_, at) => sets?.[at]?.has(id));
    const isOfFirst = first === names[0] && others.length > 0;
    if ((isOfFirst && others[0] === names[1]) || id.startsWith(MADE_BY_VITE)) return 'base';
    return isOfFirst ? 'shared' : first;
  };
  return [
    // In this order a file takes no modules that belong to one before it.
    ...['base', 'shared', ...names].map((name) => ({
      name: (...of: Parameters<typeof fileOf>) => (fileOf(...of) === name ? name : null),
      debugName: name,
      minShareCount: 2,
    })),
    { name: 'screens', entriesAware: true, minShareCount: 2 },
  ];
}
