/** An identifier that has rows in upper case alone, as the service hints where an answer has no rows. */
import type { RowsState } from './row-store';

/** The identifiers to ask for instead; null where the answer says nothing of the kind. */
export function identifierInUpperCase(
  identifier: string,
  { rowCount, end, hint }: Pick<RowsState, 'rowCount' | 'end' | 'hint'>,
): string | null {
  const upper = identifier.toUpperCase();
  if (rowCount > 0 || end !== 'reached' || hint === null || upper === identifier) return null;
  const isMeant = upper.split(',').some((each) => hint.includes(`'${each.trim()}'`));
  return isMeant ? upper : null;
}
