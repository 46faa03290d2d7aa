/**
 * The second wall: what an account's rules let pass, laid by the server over the table itself, so that a mistake in
 * the conditions of a statement lets nothing else out. Pure.
 */
import { isAtLeast } from './releases.ts';
import { textSql } from './sql-values.ts';

export interface Wall {
  readonly table: string;
  /** What each row has to fulfil. */
  readonly condition: string;
}

/** The first release that knows such. */
const FIRST_RELEASE = [22, 7] as const;

/** What follows a statement for a server of the version; empty where there is no wall, or it knows none. */
export function wallSql(version: string, database: string, wall: Wall | null): string {
  if (wall === null || !isAtLeast(version, FIRST_RELEASE)) return '';
  const table = textSql(`${database}.${wall.table}`);
  return ` SETTINGS additional_table_filters = {${table}: ${textSql(wall.condition)}}`;
}
