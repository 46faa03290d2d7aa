/**
 * Vite plugin: writes the documentation beside the console, from the Markdown of the repository.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin } from 'vite';
import { languageModelPages, pageList } from './home-page.ts';
import { pageDocument } from './page-document.ts';
import { FILES, HOME, pageName, sourcePath } from './pages.ts';
import { type RenderedPage, renderPage } from './render-page.ts';

/** The page that Vite builds, with places for what pages show. */
const TEMPLATE = 'documentation.html';

const ROOT = join(import.meta.dirname, '../..');

/** Every page of the repository at `root`, in order, and the Markdown that each was made of. */
export function renderDocumentation(root: string) {
  const sources = new Map(FILES.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
  const pages = FILES.map((file) => renderPage(file, sources.get(file) ?? ''));
  const all = `<h2 id="pages">All pages</h2>\n${pageList(pages)}`;
  const shown: RenderedPage[] = pages.map((page) =>
    page.file === HOME ? { ...page, html: page.html + all } : page,
  );
  return { pages: shown, sources };
}

function writeDocumentation(folder: string): void {
  const template = readFileSync(join(folder, TEMPLATE), 'utf8');
  const { pages, sources } = renderDocumentation(ROOT);
  const titles = new Map(pages.map(({ file, title }) => [file, title]));
  const write = (name: string, text: string) => {
    const path = join(folder, 'docs', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  for (const page of pages) {
    write(`${pageName(page.file) || 'index'}.html`, pageDocument(template, page, titles));
    write(sourcePath(page.file).slice('/docs/'.length), sources.get(page.file) ?? '');
  }
  write('llms.txt', languageModelPages(pages));
  write('search.json', JSON.stringify(pages.flatMap(({ sections }) => sections)));
  cpSync(join(ROOT, 'docs/images'), join(folder, 'docs/images'), { recursive: true });
  rmSync(join(folder, TEMPLATE));
}

export function documentation(): Plugin {
  return {
    name: 'documentation',
    apply: 'build',
    writeBundle: ({ dir }) => {
      if (dir !== undefined) writeDocumentation(dir);
    },
  };
}
