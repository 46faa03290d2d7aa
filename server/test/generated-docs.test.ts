import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { docsText } from './docs-table.ts';
import { generatedTables, withTable } from './generated-tables.ts';
import { vendorPages } from './vendor-pages.ts';

const tables = generatedTables();

it.each([...new Set(tables.map(({ file }) => file))])(
  'docs/%s has the tables of the code; if not, run npm run build:docs',
  (page) => {
    const own = tables.filter(({ file }) => file === page);
    expect(own.reduce(withTable, docsText(page)) === docsText(page)).toBe(true);
  },
);

it('shows of the files of every vendor what the program makes of them; if not, run npm run build:docs', async () => {
  const pages = await vendorPages();
  for (const [file, text] of pages) expect(docsText(file)).toBe(text);
  const written = readdirSync(join(import.meta.dirname, '../../docs/vendors'));
  expect(written.map((name) => `vendors/${name}`).sort()).toEqual([...pages.keys()].sort());
});

it('documents at most 48 settings', () => {
  expect(docsText('settings.md').match(/^\| `/gm)?.length).toBeLessThanOrEqual(48);
});

it('puts a lead in place of a paragraph of one line alone', () => {
  const table = { file: 'page.md', heading: 'First', lead: 'New.', header: [], rows: [] };
  expect(withTable('## First\n\nOld.\n', table)).toBe('## First\n\nNew.\n');
  for (const below of ['\nOld,\nlong.', '\n| Option |\n|---|', 'Old.']) {
    expect(() => withTable(`## First\n${below}\n`, table)).toThrow(
      'docs/page.md has no paragraph of one line below First',
    );
  }
});

it('takes no table from below the next heading', () => {
  const page = '# Page\n\n## First\n\n## Second\n\n| Option |\n|---|\n';
  const table = { file: 'page.md', heading: 'First', header: ['Option'], rows: [['one']] };
  expect(() => withTable(page, table)).toThrow('docs/page.md has no table | Option | below First');
});
