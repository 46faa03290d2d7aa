import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { docsText } from '../docs-table.ts';
import { commandHeading } from '../generated-tables.ts';

test('the page has a section for each command, in the order of help, and no other', () => {
  const sections = docsText('command-line.md').split('\n## ').slice(1);
  const titles = sections.map((section) => section.split('\n')[0]);
  expect(titles).toEqual(['Options of every command', ...COMMANDS.map(commandHeading)]);
});
