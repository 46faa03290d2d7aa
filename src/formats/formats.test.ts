import { describe, expect, it } from 'vitest';
import { docsTable, docsText } from '../../test/docs-table.ts';
import { FORMATS } from './formats.ts';

const code = (text: string) => `\`${text}\``;

describe('the formats', () => {
  it('differ in their names and content types, as requests and the OpenAPI document need it', () => {
    expect(new Set(FORMATS.map(({ name }) => name)).size).toBe(FORMATS.length);
    expect(new Set(FORMATS.map(({ contentType }) => contentType)).size).toBe(FORMATS.length);
  });

  it.each(FORMATS)('give no more rows by default than at most ($name)', ({ rowLimits }) => {
    expect(rowLimits.default).toBeGreaterThan(0);
    expect(rowLimits.max).toBeGreaterThanOrEqual(rowLimits.default);
  });
});

describe('the documents', () => {
  it('have every format with its content type, and no other', () => {
    const rows = docsTable('http.md', '`response_format`', 'Content-Type');
    expect(rows.map(([name, contentType]) => [name, contentType])).toEqual(
      FORMATS.map(({ name, contentType }) => [code(name), code(contentType)]),
    );
  });

  it('have the row limits of every format', () => {
    expect(docsTable('queries.md', '`response_format`', 'Rows by default')).toEqual(
      FORMATS.map(({ name, rowLimits }) => [
        code(name),
        `${rowLimits.default}`,
        `${rowLimits.max}`,
      ]),
    );
  });

  it('list the formats beside the parameter, and the default', () => {
    const names = FORMATS.map(({ name }) => code(name));
    const list = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
    expect(docsText('queries.md')).toContain(`| \`response_format\` | ${list} | ${names[0]} |`);
  });
});
