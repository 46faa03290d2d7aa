import MiniSearch from 'minisearch';

/** As the build writes it: the text below one heading. */
export interface PageSection {
  readonly path: string;
  /** The page's. */
  readonly title: string;
  readonly heading: string;
  /** '' of the page's beginning. */
  readonly anchor: string;
  readonly text: string;
  /** Programs and answers of the section. */
  readonly code: string;
}

export interface FoundSection {
  readonly href: string;
  readonly title: string;
  readonly heading: string;
  /** Some words around the first one that was found. */
  readonly excerpt: string;
}

const FOUND_MAX = 12;
const EXCERPT_LENGTH = 110;
const LENGTH_BEFORE = 30;

/** Names such as `TICKLAKE_STORE` and `dataset_version` are found by their parts as well. */
function wordsOf(text: string): string[] {
  const words = text.split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== '');
  return words.flatMap((word) => (word.includes('_') ? [word, ...word.split('_')] : [word]));
}

function excerptOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0);
  const found = places.length > 0 ? Math.min(...places) : 0;
  const start = found <= LENGTH_BEFORE ? 0 : text.indexOf(' ', found - LENGTH_BEFORE) + 1;
  const end = start + EXCERPT_LENGTH;
  const cut = text.length <= end ? text.slice(start) : `${text.slice(start, end).trimEnd()}…`;
  return start > 0 ? `…${cut}` : cut;
}

/** A search for words: all of them have to be there, as whole words, beginnings, or with a slip. */
export function searchOf(sections: readonly PageSection[]): (text: string) => FoundSection[] {
  const index = new MiniSearch({
    fields: ['title', 'heading', 'text', 'code'],
    tokenize: wordsOf,
    searchOptions: {
      boost: { title: 3, heading: 4, code: 0.3 },
      combineWith: 'AND',
      prefix: true,
      fuzzy: (term) => (term.length > 5 ? 1 : false),
      // One query is not made of the parts of its names.
      tokenize: (text) => text.split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== ''),
    },
  });
  index.addAll(sections.map((section, id) => ({ id, ...section })));
  return (text) =>
    index
      .search(text)
      .slice(0, FOUND_MAX)
      .flatMap(({ id, terms }) => {
        const section = sections[id as number];
        if (!section) return [];
        const { path, anchor, title, heading, text: prose, code } = section;
        const shown = terms.some((term) => prose.toLowerCase().includes(term))
          ? prose
          : code || prose;
        const href = anchor === '' ? path : `${path}#${anchor}`;
        return [{ href, title, heading, excerpt: excerptOf(shown, terms) }];
      });
}
