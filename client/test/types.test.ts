import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { generatedTypes } from '../generated-types.ts';

it('the types of both clients are those of the schemas; npm run build:client writes them', () => {
  for (const { file, text } of generatedTypes()) expect(readFileSync(file, 'utf8')).toBe(text);
});
