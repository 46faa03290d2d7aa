/** The command `ticklake` with the demo among its commands. */
import { COMMANDS } from 'ticklake/cli/commands.ts';
import { runProcess } from 'ticklake/cli/run-process.ts';
import { demo } from './demo-command.ts';

await runProcess([demo, ...COMMANDS]);
