/** The command line, with some of the constants that no setting changes replaced: the JSON in `TEST_LIMITS`. */
import { COMMANDS } from '../src/cli/commands.ts';
import { runProcess } from '../src/cli/run-command-line.ts';

await runProcess(COMMANDS, JSON.parse(process.env.TEST_LIMITS ?? '{}'));
