import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { docsText } from '../docs-table.ts';
import { commandTables } from '../documented-commands.ts';

test('the page has a section for each command or group, in the order of help, and no other', () => {
  const sections = docsText('command-line.md').split('\n## ').slice(1);
  const titles = sections.map((section) => section.split('\n')[0]);
  expect(titles).toEqual(commandTables().map(({ heading }) => heading));
});

test('the page names every command', () => {
  const page = docsText('command-line.md');
  for (const { name, usage = '' } of COMMANDS) {
    const words = `${name.join(' ')} ${usage}`.trim();
    expect(page.includes(`\`ticklake ${words}\``) || page.includes(`**\`${words}\`**`), words).toBe(
      true,
    );
  }
});
