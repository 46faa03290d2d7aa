/** The command line with limits from `TEST_LIMITS` (JSON) in place of built-in constants. */
import { COMMANDS } from '../src/cli/commands.ts';
import { runProcess } from '../src/cli/run-command-line.ts';

await runProcess(COMMANDS, JSON.parse(process.env.TEST_LIMITS ?? '{}'));
