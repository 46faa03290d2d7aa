/** Markdown of the repository -> what a page of the documentation shows of it. */
import GithubSlugger from 'github-slugger';
import { Marked, type RendererObject, type Token, type Tokens } from 'marked';
import { escapeHtml } from './escape-html.ts';
import { linkTarget } from './page-links.ts';
import { pagePath } from './pages.ts';

export interface Heading {
  /** 1 is the page's title. */
  readonly depth: number;
  readonly text: string;
  /** The last part of its address, as repositories on the web make it. */
  readonly anchor: string;
}

/** The text below one heading, for the search. */
export interface PageSection {
  readonly path: string;
  readonly title: string;
  readonly heading: string;
  readonly anchor: string;
  readonly text: string;
  /** Programs and answers of the section. */
  readonly code: string;
}

export interface RenderedPage {
  readonly file: string;
  readonly title: string;
  /** The first paragraph, as plain text. */
  readonly lead: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly sections: readonly PageSection[];
}

/** The deepest heading by which the search divides a page. */
const SEARCHED_DEPTH_MAX = 3;

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

/** The text of our own HTML, without its tags: cells and lines are told apart by a space. */
function textOf(html: string): string {
  return html
    .replaceAll(/<\/(?:td|th|p|li|pre|h\d)>/g, ' ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity)
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const PLAIN = new Marked({ gfm: true, renderer: { html: ({ text }) => escapeHtml(text) } });

function headingsOf(tokens: readonly Token[]): Map<Token, Heading> {
  const slugger = new GithubSlugger();
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === 'heading');
  return new Map(
    headings.map((token) => {
      const text = textOf(PLAIN.parser([token]));
      return [token, { depth: token.depth, text, anchor: slugger.slug(text) }];
    }),
  );
}

/** HTML in the files is shown as text, and links lead to pages of the documentation or nowhere. */
function rendererOf(file: string, headings: ReadonlyMap<Token, Heading>): RendererObject {
  return {
    html: ({ text }) => escapeHtml(text),
    heading(token) {
      const { anchor = '' } = headings.get(token) ?? {};
      const content = this.parser.parseInline(token.tokens);
      const id = escapeHtml(anchor);
      if (token.depth === 1) return `<h1 id="${id}" tabindex="-1">${content}</h1>\n`;
      const link = `<a class="anchor" href="#${id}" aria-hidden="true" tabindex="-1">#</a>`;
      return `<h${token.depth} id="${id}">${content}${link}</h${token.depth}>\n`;
    },
    link({ href, tokens }) {
      const content = this.parser.parseInline(tokens);
      const target = linkTarget(file, href);
      if (target === null) return content;
      const rel = target.startsWith('http') ? ' rel="noreferrer"' : '';
      return `<a href="${escapeHtml(target)}"${rel}>${content}</a>`;
    },
    image({ href, text }) {
      const target = linkTarget(file, href);
      if (!target?.startsWith('/')) return escapeHtml(text);
      return `<img src="${escapeHtml(target)}" alt="${escapeHtml(text)}" loading="lazy">`;
    },
    code({ text }) {
      return `<pre tabindex="0"><code>${escapeHtml(text)}\n</code></pre>\n`;
    },
    table(token) {
      const cells = (row: readonly Tokens.TableCell[], tag: string, scope: string) =>
        row
          .map(({ tokens }) => `<${tag}${scope}>${this.parser.parseInline(tokens)}</${tag}>`)
          .join('');
      const head = `<tr>${cells(token.header, 'th', ' scope="col"')}</tr>`;
      const rows = token.rows.map((row) => `<tr>${cells(row, 'td', '')}</tr>`).join('\n');
      const table = `<table><thead>${head}</thead><tbody>\n${rows}\n</tbody></table>`;
      return `<div class="table" tabindex="0">${table}</div>\n`;
    },
  };
}

function sectionsOf(
  file: string,
  title: string,
  tokens: readonly Token[],
  headings: ReadonlyMap<Token, Heading>,
): PageSection[] {
  const sections: { heading: Heading; tokens: Token[] }[] = [];
  for (const token of tokens) {
    const heading = headings.get(token);
    if (heading && heading.depth <= SEARCHED_DEPTH_MAX) sections.push({ heading, tokens: [] });
    else sections.at(-1)?.tokens.push(token);
  }
  const isCode = ({ type }: Token) => type === 'code';
  return sections.map(({ heading, tokens: own }) => ({
    path: pagePath(file),
    title,
    heading: heading.text,
    anchor: heading.depth === 1 ? '' : heading.anchor,
    text: textOf(PLAIN.parser(own.filter((token) => !isCode(token)))),
    code: textOf(PLAIN.parser(own.filter(isCode))),
  }));
}

/** Renders a file; throws where it does not begin with a title. */
export function renderPage(file: string, markdown: string): RenderedPage {
  const marked = new Marked({ gfm: true });
  const tokens = marked.lexer(markdown);
  const headings = headingsOf(tokens);
  const [first] = headings.values();
  if (first?.depth !== 1) throw new Error(`${file} does not begin with a title`);
  marked.use({ renderer: rendererOf(file, headings) });
  const lead = tokens.find((token) => token.type === 'paragraph');
  return {
    file,
    title: first.text,
    lead: lead ? textOf(PLAIN.parser([lead])) : '',
    html: marked.parser(tokens),
    headings: [...headings.values()],
    sections: sectionsOf(file, first.text, tokens, headings),
  };
}
