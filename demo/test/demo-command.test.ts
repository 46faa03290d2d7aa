import { expect, test } from 'vitest';
import { runCommand } from '../../server/test/command-line/run-command.ts';

test('the demo explains itself in the help of the command line', async () => {
  const { exitCode, stdout } = await runCommand('.', 'demo', '--help');
  expect([exitCode, stdout.split('\n')[0]]).toEqual([0, 'Usage: ticklake demo [options]']);
});
