/** The command `ticklake` with the demo among its commands. */
import { useCompileCache } from 'ticklake/base/installation.ts';

useCompileCache();
const { COMMANDS } = await import('ticklake/cli/commands.ts');
const { runProcess } = await import('ticklake/cli/run-command-line.ts');
const { demo } = await import('./demo-command.ts');

await runProcess([demo, ...COMMANDS]);
