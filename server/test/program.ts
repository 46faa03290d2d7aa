/** The command line, for tests that start it. */
import { PROGRAM as SOURCE } from '../src/base/installation.ts';

export const PROGRAM = process.env.TICKLAKE_PROGRAM ?? SOURCE;
