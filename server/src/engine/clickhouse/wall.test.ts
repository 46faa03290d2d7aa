import { expect, it } from 'vitest';
import { wallSql } from './wall.ts';

const WALL = { table: 't', condition: "Ticker = '\\x41'" };

it('is laid where servers know it, with nothing in it that could end it', () => {
  for (const version of ['22.7.1', '23.1', '26.9.2.1']) {
    expect(wallSql(version, 'lake', WALL)).toMatch(
      /^ SETTINGS additional_table_filters = \{'(\\x[0-9a-f]{2})+': '(\\x[0-9a-f]{2})+'\}$/,
    );
  }
  expect(wallSql('26.9', 'lake', null)).toBe('');
  for (const version of ['18.16.1', '22.6']) expect(wallSql(version, 'lake', WALL)).toBe('');
});
