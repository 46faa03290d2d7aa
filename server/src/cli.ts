/** The command `ticklake`. */
import { useCompileCache } from './base/installation.ts';

useCompileCache();
const { COMMANDS } = await import('./cli/commands.ts');
const { runProcess } = await import('./cli/run-command-line.ts');

await runProcess(COMMANDS);
