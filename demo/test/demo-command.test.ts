import { expect, test } from 'vitest';
import { runCommand } from '../../server/test/command-line/run-command.ts';

test('the demo explains itself in the help of the command line', async () => {
  const { exitCode, stdout } = await runCommand('.', 'demo', '--help');
  expect([exitCode, stdout.split('\n')[0]]).toEqual([0, 'Usage: ticklake demo [options]']);
});

test('help with the demo among the commands tells of its default home', async () => {
  for (const words of [['--help'], ['demo', '--help'], ['serve', '--help']]) {
    const { stdout } = await runCommand('.', ...words);
    expect(stdout).toContain('else .ticklake, or .ticklake/demo for the demo)\n');
  }
});
