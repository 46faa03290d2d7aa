/** Writes `src/types.ts` anew. */
import { writeFileSync } from 'node:fs';
import { generatedTypes, TYPES_FILE } from './generated-types.ts';

writeFileSync(TYPES_FILE, generatedTypes());
