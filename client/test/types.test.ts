import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { generatedTypes, TYPES_FILE } from '../generated-types.ts';

it('the types are those of the schemas; npm run build:client writes them', () => {
  expect(readFileSync(TYPES_FILE, 'utf8')).toBe(generatedTypes());
});
