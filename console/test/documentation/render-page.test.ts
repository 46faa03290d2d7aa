import { describe, expect, it } from 'vitest';
import { shortLead } from '../../documentation/home-page.ts';
import { pageDocument } from '../../documentation/page-document.ts';
import { linkTarget } from '../../documentation/page-links.ts';
import { pagePath } from '../../documentation/pages.ts';
import { renderPage } from '../../documentation/render-page.ts';

const FILE = 'docs/queries.md';

describe('a page', () => {
  it('shows HTML of its file as text', () => {
    const { html } = renderPage(FILE, '# A\n\n<img src=x onerror=y>\n\na <b onclick=z>word</b>\n');
    expect(html).toContain('&lt;img src=x onerror=y&gt;');
    expect(html).toContain('&lt;b onclick=z&gt;word');
    expect(html).not.toMatch(/<(?:img|b)\b/);
  });

  it('has the anchors that repositories on the web make, each once', () => {
    const { headings } = renderPage(FILE, '# A `b_c` & d\n\n## What, where?\n\n## What, where?\n');
    expect(headings).toEqual([
      { depth: 1, text: 'A b_c & d', anchor: 'a-b_c--d' },
      { depth: 2, text: 'What, where?', anchor: 'what-where' },
      { depth: 2, text: 'What, where?', anchor: 'what-where-1' },
    ]);
  });

  it('is divided into sections of plain text, with cells and lines apart', () => {
    const markdown =
      '# T\n\nLead, *with* `<code>`.\n\n## S\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- x\n- y\n\n```json\n{}\n```\n';
    const { title, lead, sections } = renderPage(FILE, markdown);
    expect([title, lead]).toEqual(['T', 'Lead, with <code>.']);
    expect(sections).toEqual([
      {
        path: '/docs/queries',
        title: 'T',
        heading: 'T',
        anchor: '',
        text: 'Lead, with <code>.',
        code: '',
      },
      {
        path: '/docs/queries',
        title: 'T',
        heading: 'S',
        anchor: 's',
        text: 'a b 1 2 x y',
        code: '{}',
      },
    ]);
  });

  it('needs a title', () => {
    expect(() => renderPage(FILE, 'no title')).toThrow(
      'docs/queries.md does not begin with a title',
    );
  });
});

describe('a link', () => {
  it.each([
    ['docs/queries.md', 'settings.md#queries', '/docs/settings#queries'],
    ['docs/rules/equities.md', '../queries.md', '/docs/queries'],
    ['docs/rules/equities.md', 'README.md', '/docs/rules'],
    ['docs/queries.md', '../clients/python/README.md', '/docs/clients/python'],
    ['docs/queries.md', 'quickstart/get-data.md', '/docs'],
    ['docs/queries.md', '#filters', '#filters'],
    ['CHANGELOG.md', 'docs/images/console.png', '/docs/images/console.png'],
    ['CHANGELOG.md', 'https://example.com/a', 'https://example.com/a'],
  ])('in %s to %s leads to %s', (file, href, target) => {
    expect(linkTarget(file, href)).toBe(target);
  });

  it.each([
    '../LICENSE',
    '../README.md',
    'javascript:alert(1)',
    'data:text/html,x',
    '../../etc/passwd',
  ])('to %s leads nowhere', (href) => {
    expect(linkTarget('docs/queries.md', href)).toBeNull();
    expect(renderPage(FILE, `# A\n\n[b](${href})\n`).html).not.toContain('<a');
  });
});

it('cuts a lead after its first sentence, and long ones between words', () => {
  expect(shortLead('One thing: two. Three.')).toBe('One thing.');
  expect(shortLead('For owners: how to see it. More.')).toBe('How to see it.');
  expect(shortLead('For data owners. You need a home. Load it. More.')).toBe('Load it.');
  const cut = shortLead(`${'word '.repeat(60)}end.`);
  expect(cut.length).toBeLessThan(165);
  expect(cut.endsWith('word…')).toBe(true);
});

it('fills each place of the template, and says which is missing', () => {
  const page = renderPage(FILE, '# A $& B\n\nText\n\n## C\n\n## D\n');
  const names = ['title', 'lead', 'navigation', 'article', 'source', 'neighbours', 'contents'];
  const template = names.map((name) => `%${name}%`).join('\n');
  const text = pageDocument(template, page, new Map([[FILE, 'A $& B']]));
  expect(text).toContain('A $&amp; B');
  expect(text).toContain('aria-current="page"');
  expect(text).toContain('/docs/queries.md');
  expect(text).toContain('<a href="#c">C</a>');
  expect(text).not.toMatch(/%\w+%/);
  expect(() => pageDocument('%title%', page, new Map())).toThrow('no place for the lead');
  expect(pagePath(FILE)).toBe('/docs/queries');
});
