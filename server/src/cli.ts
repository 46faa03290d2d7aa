/** The command `ticklake`. */
import { COMMANDS } from './cli/commands.ts';
import { runProcess } from './cli/run-process.ts';

await runProcess(COMMANDS);
