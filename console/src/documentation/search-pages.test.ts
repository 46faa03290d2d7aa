import { describe, expect, it } from 'vitest';
import { searchOf } from './search-pages';

const section = (path: string, heading: string, text: string, title = 'Page', code = '') => ({
  ...{ path, title, heading, text, code },
  anchor: heading === title ? '' : heading.toLowerCase(),
});

const search = searchOf([
  section('/docs/versions', 'Versions', 'Every publication makes the next one.', 'Versions'),
  section(
    '/docs/versions',
    'Reading',
    `${'filler '.repeat(40)}dataset_version=12 reads version 12`,
  ),
  section('/docs/settings', 'Store', 'TICKLAKE_STORE names a shared database'),
  section('/docs/http', 'Answer', 'An answer.', 'Page', '"dataset_version": 7, "limit_left": 1'),
]);
const found = (text: string) => search(text).map(({ href }) => href);

describe('the search of the documentation', () => {
  it('puts headings before text', () => {
    expect(found('versions')[0]).toBe('/docs/versions');
  });

  it('finds names whole and by their parts, also before they are typed to the end', () => {
    expect(found('TICKLAKE_STORE')).toEqual(['/docs/settings#store']);
    expect(found('dataset_ver')).toEqual(['/docs/versions#reading', '/docs/http#answer']);
    expect(found('databa')).toEqual(['/docs/settings#store']);
  });

  it('puts text before programs and answers, and finds what stands there alone', () => {
    expect(found('dataset_version')).toEqual(['/docs/versions#reading', '/docs/http#answer']);
    expect(search('limit_left')[0]?.excerpt).toContain('"limit_left": 1');
  });

  it('wants every word, and forgives a slip in a long one', () => {
    expect(found('database publication')).toEqual([]);
    expect(found('publicaton')).toEqual(['/docs/versions']);
  });

  it('shows the words around what it found', () => {
    const [first] = search('dataset_version');
    expect(first?.excerpt).toMatch(/^….*dataset_version=12 reads version 12$/);
    expect(first?.excerpt.length).toBeLessThan(120);
  });

  it('finds nothing without a word', () => {
    expect(found('  ')).toEqual([]);
  });
});
