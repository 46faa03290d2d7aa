/** Identifiers that have rows in upper case alone, as the service hints where an answer has no rows. */

function namesIn(identifier: string): string[] {
  return identifier.split(',').map((text) => text.trim());
}

/** Those that a list has in lower case. Others of it may have rows, so that its answer tells nothing of these. */
export function doubtfulNames(identifier: string): readonly string[] {
  const names = namesIn(identifier);
  if (names.length < 2) return [];
  return [...new Set(names)].filter((name) => name !== name.toUpperCase());
}

/** What a name is meant as, by the hint of an answer for it alone: itself, or the same in upper case. */
export function meantName(name: string, hint: string | null): string {
  const upper = name.toUpperCase();
  return hint?.includes(`'${upper}'`) ? upper : name;
}

/** An identifier, or a list, with names written as they are meant; null: as it stands. */
export function identifierMeant(
  identifier: string,
  meant: ReadonlyMap<string, string>,
): string | null {
  const names = namesIn(identifier);
  const written = names.map((name) => meant.get(name) ?? name);
  return written.some((name, index) => name !== names[index]) ? written.join(', ') : null;
}
