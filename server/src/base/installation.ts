/** The files that come with the program, in the repository or in its package. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const isSource = import.meta.filename.endsWith('.ts');
const ROOT = join(import.meta.dirname, isSource ? '../../..' : '..');

/** The command line: the file that starts a process of the program. */
export const PROGRAM = join(ROOT, isSource ? 'server/src/cli.ts' : 'program/cli.js');

export const SHIPPED_DEFINITIONS = join(ROOT, 'datasets');

/** Definitions that come into a home only when they are wanted, as `TEXT_ID.yaml`. */
export const FURTHER_DEFINITIONS = join(SHIPPED_DEFINITIONS, 'further');

export const SHIPPED_RECIPES = join(SHIPPED_DEFINITIONS, 'recipes');

/** The folder of the repository; null in a package, whose console is built. */
export const REPOSITORY = isSource ? ROOT : null;

/** The folder of the built console. */
export const CONSOLE_FOLDER = join(ROOT, 'console/dist');

/** The release's version, read from the package it runs from. */
export const SERVICE_VERSION: string = JSON.parse(
  readFileSync(join(ROOT, isSource ? 'server/package.json' : 'package.json'), 'utf8'),
).version;

/** Version of the interface that the OpenAPI document describes; releases are counted apart. */
export const INTERFACE_VERSION = '0.5.1';

/** Cache from one start to the next, writable only by who may change the program. */
export const START_CACHE = join(ROOT, isSource ? 'node_modules/.cache/ticklake' : 'cache');

/** The shipped definitions, parsed. */
export const DEFINITION_CACHE = join(START_CACHE, 'definitions.json');
