/** Writes the tables of the documents that come from tables of the code. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedTables, withTable } from '../server/test/generated-tables.ts';

for (const table of generatedTables()) {
  const path = join(import.meta.dirname, '../docs', table.file);
  writeFileSync(path, withTable(readFileSync(path, 'utf8'), table));
}
