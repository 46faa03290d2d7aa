import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { marked } from 'marked';
import { expect, it } from 'vitest';
import { languageModelPages } from '../../documentation/home-page.ts';
import { FILES, pagePath, SECTIONS, sourcePath } from '../../documentation/pages.ts';
import { renderDocumentation } from '../../documentation/render-documentation.ts';
import { renderPage } from '../../documentation/render-page.ts';

const ROOT = join(import.meta.dirname, '../../..');
const { pages } = renderDocumentation(ROOT);

it('has every page below docs but those for contributors, once', () => {
  const isForContributors = (file: string) => /^docs\/(decisions\/|testing\.md)/.test(file);
  const found = globSync('docs/**/*.md', { cwd: ROOT }).filter((file) => !isForContributors(file));
  expect(found.filter((file) => !FILES.includes(file))).toEqual([]);
  expect(new Set(FILES).size).toBe(FILES.length);
  expect(new Set(FILES.map(pagePath)).size).toBe(FILES.length);
});

it('links only to pages, headings and pictures that there are', () => {
  const anchors = new Map(
    pages.map(({ file, html }) => [
      pagePath(file),
      new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)),
    ]),
  );
  const broken = pages.flatMap(({ file, html }) =>
    [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].flatMap(([, href = '']) => {
      if (/^https?:/.test(href)) return [];
      if (href.startsWith('/docs/images/')) {
        return readFileSync(join(ROOT, href)).length > 0 ? [] : [`${file}: ${href}`];
      }
      const [path = '', anchor] = href.split('#');
      const known = anchors.get(path === '' ? pagePath(file) : path);
      const isThere = known && (anchor === undefined || known.has(anchor));
      return isThere ? [] : [`${file}: ${href}`];
    }),
  );
  expect(broken).toEqual([]);
});

const WORKSPACES = '{client,clients,conformance,console,datasets,demo,deploy,docs,market,server}';
const FOREIGN = ['**/node_modules', '**/dist', '**/.*'];

it('leads from every document of the repository to files and headings that there are', () => {
  const files = globSync(`{*.md,${WORKSPACES}/**/*.md}`, { cwd: ROOT, exclude: FOREIGN });
  const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');
  const anchors = new Map(
    files.map((file) => [
      file,
      new Set(renderPage(file, textOf(file)).headings.map(({ anchor }) => anchor)),
    ]),
  );
  const isBroken = (file: string, href: string) => {
    if (/^(https?|mailto):/.test(href)) return false;
    const [path = '', anchor] = href.split('#');
    const target = path === '' ? file : join(file, '..', path);
    if (!existsSync(join(ROOT, target))) return true;
    return anchor !== undefined && !anchors.get(target)?.has(anchor);
  };
  const links = files.flatMap((file) => {
    const hrefs: string[] = [];
    marked.walkTokens(marked.lexer(textOf(file)), (token) => {
      if (token.type === 'link' || token.type === 'image') hrefs.push(token.href);
    });
    return hrefs.map((href) => [file, href] as const);
  });
  expect(links.length).toBeGreaterThan(500);
  expect(links.filter(([file, href]) => isBroken(file, href))).toEqual([]);
});

it('is named by its right path in messages, descriptions and the console', () => {
  const sources = `{${['clients/python', 'client', 'conformance', 'console', 'demo', 'server'].join()}}/src/**/*.{ts,tsx,py}`;
  const files = globSync([sources, '{datasets,deploy}/**/*.{yaml,yml,conf,json}'], { cwd: ROOT });
  const named = files.flatMap((file) =>
    [
      ...readFileSync(join(ROOT, file), 'utf8').matchAll(
        /(?<![\w/.])\/?docs\/[a-z][\w/-]*(\.md|\b(?!\.\w))/g,
      ),
    ].map(([path]) => [file, path] as const),
  );
  const known = new Set([
    ...FILES.flatMap((file) => [pagePath(file), sourcePath(file)]),
    ...globSync('docs/**/*.md', { cwd: ROOT }),
  ]);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(([, path]) => !known.has(path) && !known.has(`/${path}`))).toEqual([]);
});

it('shows of no file anything that a browser could run or load from elsewhere', () => {
  for (const { file, html } of pages) {
    expect(html, file).not.toMatch(/<(?:script|style|iframe|object|embed|form|link|meta|base)\b/i);
    expect(html, file).not.toMatch(/<[^>]*\s(?:on\w+|style)=/i);
    expect(html, file).not.toMatch(/\ssrc="(?!\/docs\/)/);
  }
});

it('names every page on the first one, once', () => {
  const [home] = pages;
  for (const file of FILES.slice(1)) expect(home?.html).toContain(`href="${pagePath(file)}"`);
});

it('names the Markdown of all pages for readers in llms.txt, and of no other page', () => {
  const links = [...languageModelPages(pages).matchAll(/^- \[.+\]\((\S+)\): \S/gm)];
  const readers = SECTIONS.filter(({ isForReaders }) => isForReaders);
  expect(links.map(([, path]) => path)).toEqual(
    readers.flatMap(({ files }) => files).map(sourcePath),
  );
  expect(readers.length).toBeLessThan(SECTIONS.length);
});

it('has the list for language models in docs/llms.txt; if not, run npm run build:docs', () => {
  expect(readFileSync(join(ROOT, 'docs/llms.txt'), 'utf8')).toBe(languageModelPages(pages));
});
