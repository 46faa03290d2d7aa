import { expect, test } from 'vitest';
import { UsageError } from '../base/errors.ts';
import type { Command } from './command.ts';
import { parseCommandLine } from './parse-command-line.ts';

function command(...name: string[]): Command {
  return {
    name,
    summary: 'does something',
    usage: '',
    options: {
      vendor: { type: 'string', valueName: 'NAME', description: 'who' },
      append: { type: 'boolean', description: 'add' },
      rule: { type: 'string', multiple: true, description: 'several' },
    },
    run: async () => ({ value: null, text: '', exitCode: 0 }),
  };
}

const commands = [command('import', 'lean'), command('ingest'), command('key', 'add')];
const parse = (...words: string[]) => parseCommandLine(words, commands);

test('options stand before and behind the words that name the command', () => {
  const parsed = parse(
    '--json',
    '--home',
    '/x',
    'import',
    'lean',
    'dir',
    '--vendor=A b',
    '--append',
  );
  expect(parsed.command).toBe(commands[0]);
  expect(parsed.globals).toEqual({ json: true, home: '/x' });
  expect(parsed.values).toEqual({ vendor: 'A b', append: true });
  expect(parsed.positionals).toEqual(['dir']);
});

test('words behind -- are arguments', () => {
  const { positionals, values } = parse('ingest', 'a', '--', '--append', '-x');
  expect([positionals, values]).toEqual([['a', '--append', '-x'], {}]);
});

test('an option that may be repeated gathers its values', () => {
  expect(parse('ingest', '--rule', 'a', '--rule', 'b').values).toEqual({ rule: ['a', 'b'] });
});

test('no words name no command', () => {
  expect(parse().command).toBeNull();
  expect(parse('--help').command).toBeNull();
});

test.each([
  [['help'], null, 3],
  [['help', 'key'], null, 1],
  [['key', '--help'], null, 1],
  [['help', 'key', 'add'], commands[2], 1],
  [['help', '--', 'key'], null, 1],
] as const)('%j asks for help', (words, found, meantCount) => {
  const { command, meant, globals } = parse(...words);
  expect([command, meant.length, globals]).toEqual([found, meantCount, { help: true }]);
});

test.each([
  [
    ['inject'],
    'unknown command inject; commands begin with import, ingest, key; ticklake --help lists them',
  ],
  [['import'], 'unknown command import; commands: import lean'],
  [['import', 'nope', 'x'], 'unknown command import nope; commands: import lean'],
  [['help', 'nope'], /^unknown command nope; commands begin with import/],
  [['toString'], /^unknown command toString/],
  [
    ['ingest', '--apend'],
    'unknown option --apend; options: --json, --home, --help, --version, --vendor, --append, --rule',
  ],
  [['ingest', '--__proto__'], /^unknown option --__proto__/],
  [['ingest', '--constructor=x'], /^unknown option --constructor/],
  [['ingest', '-a'], /^unknown option -a/],
  [['ingest', '--append=yes'], 'option --append takes no value'],
  [['ingest', '--vendor'], 'option --vendor needs a value: --vendor NAME'],
  [['ingest', '--vendor='], 'option --vendor needs a value: --vendor NAME'],
  [['ingest', '--vendor', '--append'], 'option --vendor needs a value: --vendor NAME'],
  [['ingest', '--vendor', 'a', '--vendor', 'b'], 'option --vendor is given twice'],
])('%j is refused', (words, message) => {
  expect(() => parse(...words)).toThrow(UsageError);
  expect(() => parse(...words)).toThrow(message);
});
