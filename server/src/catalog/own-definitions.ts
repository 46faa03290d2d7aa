/** Where an operator's own definitions lie. */
import { join } from 'node:path';

/** The folder of a home for them, where no setting names another one. */
export const DEFINITIONS_FOLDER = 'datasets';

/** `given`: the folder that the setting names; null: none. */
export function ownDefinitions(home: string, given: string | null): string {
  return given ?? join(home, DEFINITIONS_FOLDER);
}
