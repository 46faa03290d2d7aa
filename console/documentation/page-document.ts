/** A rendered page -> the whole document that is sent. */
import { escapeHtml } from './escape-html.ts';
import { FILES, pagePath, SECTIONS, sourcePath } from './pages.ts';
import type { RenderedPage } from './render-page.ts';

/** The deepest heading that the contents of a page name. */
const CONTENTS_DEPTH_MAX = 3;

function navigation(current: RenderedPage, titles: ReadonlyMap<string, string>): string {
  const item = (file: string) => {
    const here = file === current.file ? ' aria-current="page"' : '';
    return `<li><a href="${pagePath(file)}"${here}>${escapeHtml(titles.get(file) ?? '')}</a></li>`;
  };
  return SECTIONS.map(
    ({ title, files }) => `<h2>${escapeHtml(title)}</h2>\n<ul>${files.map(item).join('\n')}</ul>`,
  ).join('\n');
}

function contents({ headings }: RenderedPage): string {
  const shown = headings.filter(({ depth }) => depth > 1 && depth <= CONTENTS_DEPTH_MAX);
  if (shown.length < 2) return '';
  const items = shown.map(
    ({ depth, text, anchor }) =>
      `<li class="depth-${depth}"><a href="#${escapeHtml(anchor)}">${escapeHtml(text)}</a></li>`,
  );
  return `<h2 id="contents">On this page</h2>\n<ul>${items.join('\n')}</ul>`;
}

function neighbours({ file }: RenderedPage, titles: ReadonlyMap<string, string>): string {
  const at = FILES.indexOf(file);
  const link = (target: string | undefined, label: string, kind: string) =>
    target === undefined
      ? ''
      : `<a class="${kind}" href="${pagePath(target)}"><span>${label}</span>${escapeHtml(titles.get(target) ?? '')}</a>`;
  return link(FILES[at - 1], 'Previous', 'previous') + link(FILES[at + 1], 'Next', 'next');
}

/** Fills the template; throws where a place for a part is missing. */
export function pageDocument(
  template: string,
  page: RenderedPage,
  titles: ReadonlyMap<string, string>,
): string {
  const parts: Readonly<Record<string, string>> = {
    title: escapeHtml(page.title),
    lead: escapeHtml(page.lead),
    navigation: navigation(page, titles),
    article: page.html,
    source: sourcePath(page.file),
    neighbours: neighbours(page, titles),
    contents: contents(page),
  };
  return Object.entries(parts).reduce((text, [name, part]) => {
    if (!text.includes(`%${name}%`)) throw new Error(`the template has no place for the ${name}`);
    return text.replaceAll(`%${name}%`, () => part);
  }, template);
}
