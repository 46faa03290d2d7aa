/** Every command, in the order in which help lists them. */
import type { Command } from './command.ts';
import { importLean } from './import-lean.ts';

export const COMMANDS: readonly Command[] = [importLean];
