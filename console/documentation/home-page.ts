/** Lists of pages with their leads: for the end of the first one, and for language models. */
import { escapeHtml } from './escape-html.ts';
import { HOME, pagePath, SECTIONS, sourcePath } from './pages.ts';
import type { RenderedPage } from './render-page.ts';

const LEAD_LENGTH_MAX = 160;

/** For whom a page is, and what they need: alone, or before what it is about. */
const AUDIENCE = /^For (?:data owners|operators)\. (?:You need [^.:]*\. )?/;
const AUDIENCE_OF = /^For [^.:]*: (\w)/;

/** The first sentence of what a text is about, cut between words where it is long. */
export function shortLead(lead: string): string {
  const about = lead.replace(AUDIENCE, '').replace(AUDIENCE_OF, (_, first) => first.toUpperCase());
  const [sentence = ''] = about.split(/(?<=[.:])\s/);
  if (sentence.length <= LEAD_LENGTH_MAX) return sentence.replace(/:$/, '.');
  return `${sentence.slice(0, sentence.lastIndexOf(' ', LEAD_LENGTH_MAX))}…`;
}

function pageItem({ file, title, lead }: RenderedPage): string {
  const link = `<a href="${pagePath(file)}">${escapeHtml(title)}</a>`;
  // All pages of vendors begin with the same sentence.
  if (file.startsWith('docs/vendors/')) return `<li>${link}</li>`;
  return `<li>${link}<span>${escapeHtml(shortLead(lead))}</span></li>`;
}

/** Every page but the first, below the titles of the sections. */
export function pageList(pages: readonly RenderedPage[]): string {
  return SECTIONS.map(({ title, files }) => {
    const items = pages.filter(({ file }) => file !== HOME && files.includes(file)).map(pageItem);
    return `<h3>${escapeHtml(title)}</h3>\n<ul class="pages">${items.join('\n')}</ul>`;
  }).join('\n');
}

const LANGUAGE_MODEL_LEAD = `# Ticklake

> Historical US market data over HTTP: equities, options, futures and reference data. Send the key in
> the header X-API-KEY. [This OpenAPI document](/v1/openapi-data.json) describes all requests for rows.
> After the path of one, /aggregate returns groups of its rows, /estimate its cost and /explain the rules that decide.
> Agents find the same as tools at [/v1/mcp](/docs/agents.md).`;

/** The pages for readers as Markdown, in the form that language models know as `llms.txt`. */
export function languageModelPages(pages: readonly RenderedPage[]): string {
  const sections = SECTIONS.filter(({ isForReaders }) => isForReaders).map(({ title, files }) => {
    const items = pages
      .filter(({ file }) => files.includes(file))
      .map(({ file, title: own, lead }) => `- [${own}](${sourcePath(file)}): ${shortLead(lead)}`);
    return `## ${title}\n\n${items.join('\n')}\n`;
  });
  return [LANGUAGE_MODEL_LEAD, ...sections].join('\n\n');
}
