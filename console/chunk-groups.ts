/**
 * Puts modules together in few files, as each costs a slow connection a round trip, and documents
 * wait for all that they import at once.
 */
import type { Rolldown } from 'vite';

const MADE_BY_VITE = '\0vite';
/** Checkboxes need nothing else of what the search of the documentation has. */
const HIDDEN_INPUT = '/@base-ui/utils/visuallyHidden';

/** The modules that these import at once, and these in turn. */
function modulesOf(roots: readonly string[], graph: Rolldown.ChunkingContext): ReadonlySet<string> {
  const found = new Set(roots);
  for (const id of found) {
    for (const next of graph.getModuleInfo(id)?.importedIds ?? []) found.add(next);
  }
  return found;
}

/**
 * `documents`: what each begins with, by the names of their shared modules' files; the first one
 * needs nearly all that the second one needs, which is in the file `base`. `fields`: what screens
 * have of fields, dialogs and menus, which are in one file if no document needs them.
 */
export function chunkGroups(
  documents: Readonly<Record<string, string>>,
  fields: readonly string[],
) {
  const names = Object.keys(documents);
  let sets: readonly ReadonlySet<string>[] | undefined;
  let ofFields: ReadonlySet<string> | undefined;
  const fileOf = (id: string, graph: Rolldown.ChunkingContext) => {
    sets ??= Object.values(documents).map((path) => modulesOf([path], graph));
    ofFields ??= modulesOf(fields, graph);
    const [first, ...others] = names.filter((_, at) => sets?.[at]?.has(id));
    const isOfFirst = first === names[0] && others.length > 0;
    if (id.startsWith(MADE_BY_VITE)) return 'loading';
    if (isOfFirst && others[0] === names[1]) return 'base';
    if (isOfFirst || id.includes(HIDDEN_INPUT)) return 'shared';
    return first ?? (ofFields.has(id) ? 'fields' : undefined);
  };
  return [
    // In this order a file takes no modules that belong to one before it.
    ...['loading', 'base', 'shared', ...names, 'fields'].map((name) => ({
      name: (...of: Parameters<typeof fileOf>) => (fileOf(...of) === name ? name : null),
      debugName: name,
      minShareCount: 2,
    })),
    { name: 'screens', entriesAware: true, minShareCount: 2 },
  ];
}
