import { describe, expect, it } from 'vitest';
import { docsTable, docsText } from '../../test/docs-table.ts';
import { contentTypeRows } from '../../test/documented-rows.ts';
import { FORMATS } from './formats.ts';

describe('the formats', () => {
  it('differ in their names and content types, as requests and the OpenAPI document need it', () => {
    expect(new Set(FORMATS.map(({ name }) => name)).size).toBe(FORMATS.length);
    expect(new Set(FORMATS.map(({ contentType }) => contentType)).size).toBe(FORMATS.length);
  });

  it.each([1_000_000, 10])('give no more rows by default than at most (%i)', (columnarRowsMax) => {
    for (const { rowLimits } of FORMATS) {
      const { default: fallback, max } = rowLimits({ columnarRowsMax });
      expect(fallback).toBeGreaterThan(0);
      expect(max).toBeGreaterThanOrEqual(fallback);
    }
  });
});

describe('the documents', () => {
  it('have every format with its content type, and no other', () => {
    const rows = docsTable('http.md', '`response_format`', 'Content-Type');
    expect(rows.map((cells) => cells.slice(0, 2))).toEqual(contentTypeRows());
  });

  it('list the formats beside the parameter, and the default', () => {
    const names = FORMATS.map(({ name }) => `\`${name}\``);
    const list = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
    expect(docsText('queries.md')).toMatch(
      new RegExp(`\\| \`response_format\` \\| ${list} \\| [^|]* else ${names[0]} \\|`),
    );
  });
});
