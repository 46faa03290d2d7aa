/** Writes the parts of the documents that come from the code and from files of `deploy/`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { languageModelPages } from '../console/documentation/home-page.ts';
import { renderDocumentation } from '../console/documentation/render-documentation.ts';
import { generatedTables, withTable } from '../server/test/generated-tables.ts';
import { vendorPages } from '../server/test/vendor-pages.ts';

const ROOT = join(import.meta.dirname, '..');

function rewrite(file: string, change: (page: string) => string): void {
  const path = join(ROOT, 'docs', file);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

for (const table of generatedTables()) rewrite(table.file, (page) => withTable(page, table));

const alerts = readFileSync(join(ROOT, 'deploy/prometheus/alerts.yml'), 'utf8');
rewrite('operation.md', (page) => page.replace(/(?<=```yaml\n)[^`]*/, () => alerts));

for (const [file, text] of await vendorPages()) {
  const path = join(ROOT, 'docs', file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

writeFileSync(join(ROOT, 'docs/llms.txt'), languageModelPages(renderDocumentation(ROOT).pages));
