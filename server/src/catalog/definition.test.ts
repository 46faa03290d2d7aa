import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { jsonSchemaOf } from '../schema/json-schema.ts';
import { DEFINITION } from './definition.ts';
import { readDefinition } from './definition-file.ts';

const DATASETS = resolve(import.meta.dirname, '../../../datasets');
const DOCUMENT = readFileSync(
  resolve(import.meta.dirname, '../../../docs/dataset-definitions.md'),
  'utf8',
);

test('the JSON Schema for editors is what files are read by', async () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Definition of a dataset',
    ...jsonSchemaOf(DEFINITION),
  };
  const text = `${JSON.stringify(schema, null, 2)}\n`;
  await expect(text).toMatchFileSnapshot(resolve(DATASETS, 'definition.schema.json'));
});

test('the example of the documentation is a legal definition', () => {
  const example = /```yaml\n(.*?)```/s.exec(DOCUMENT)?.[1] as string;
  const faults: string[] = [];
  expect(readDefinition({ file: 'example.yaml', text: example }, faults)?.dataset.textId).toBe(
    'coin_trades',
  );
  expect(faults).toEqual([]);
});
