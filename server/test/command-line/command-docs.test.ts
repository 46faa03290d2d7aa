import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CommandOption } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { GLOBAL_OPTIONS } from '../../src/cli/parse-command-line.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/command-line.md'), 'utf8');
const sections = page.split('\n## ').slice(1);

function documentedOptions(section: string): string[] {
  return [...section.matchAll(/^\| (`--.*) \|$/gm)].map(([, row]) => row as string);
}

function optionRows(options: Readonly<Record<string, CommandOption>>): string[] {
  return Object.entries(options).map(([name, { type, valueName, description }]) => {
    const words = type === 'string' ? `--${name} ${valueName}` : `--${name}`;
    return `\`${words}\` | ${description}`;
  });
}

test('the page has a section for each command, in the order of help, and no other', () => {
  const titles = sections.map((section) => section.split('\n')[0] as string);
  const usages = COMMANDS.map(({ name, usage }) => `ticklake ${name.join(' ')} ${usage}`.trim());
  expect(titles).toEqual(['Options of every command', ...usages.map((usage) => `\`${usage}\``)]);
});

test.each(
  [{ name: [], options: GLOBAL_OPTIONS }, ...COMMANDS].map((command, i) => ({ ...command, i })),
)('the page lists every option of "$name", and no other', ({ options, i }) => {
  expect(documentedOptions(sections[i] as string)).toEqual(optionRows(options));
});
