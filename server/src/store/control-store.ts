/** The control store: who may read what, and what was used. */
export type { SqliteControlStore as ControlStore } from './sqlite/control-store.ts';
