/** Writes the types of both clients anew. */
import { writeFileSync } from 'node:fs';
import { generatedTypes } from './generated-types.ts';

for (const { file, text } of generatedTypes()) writeFileSync(file, text);
