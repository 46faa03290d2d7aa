/** Every command, in the order in which help lists them. */
import type { Command } from './command.ts';

export const COMMANDS: readonly Command[] = [];
