/** Every command, in the order in which help lists them. */
import type { Command } from './command.ts';
import { datasets } from './datasets.ts';
import { importLean } from './import-lean.ts';
import { ingest } from './ingest.ts';

export const COMMANDS: readonly Command[] = [ingest, importLean, datasets];
