/** Writes the parts of the documents that come from the code and from files of `deploy/`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedTables, withTable } from '../server/test/generated-tables.ts';

const ROOT = join(import.meta.dirname, '..');

function rewrite(file: string, change: (page: string) => string): void {
  const path = join(ROOT, 'docs', file);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

for (const table of generatedTables()) rewrite(table.file, (page) => withTable(page, table));

const alerts = readFileSync(join(ROOT, 'deploy/prometheus/alerts.yml'), 'utf8');
rewrite('operation.md', (page) => page.replace(/(?<=```yaml\n)[^`]*/, () => alerts));
