import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { DEFINITION } from './definition.ts';
import { readDefinition } from './definition-file.ts';

const DOCUMENT = readFileSync(
  resolve(import.meta.dirname, '../../../docs/dataset-definitions.md'),
  'utf8',
);

interface AnyRule {
  readonly legal: string;
  readonly fields?: Readonly<Record<string, { rule: AnyRule; isRequired: boolean }>>;
  readonly element?: AnyRule;
}

function fieldRows(rule: AnyRule, prefix: string): string[] {
  if (rule.element) return fieldRows(rule.element, `${prefix.slice(0, -1)}[].`);
  return Object.entries(rule.fields ?? {}).flatMap(([name, field]) => [
    `${prefix}${name} | ${field.isRequired ? 'yes' : 'no'} | ${field.rule.legal}`,
    ...fieldRows(field.rule, `${prefix}${name}.`),
  ]);
}

test('the documentation has each field, whether it is needed and its legal values', () => {
  const rows = [...DOCUMENT.matchAll(/^\| `(.+?)` \| (.*?) \| (.*?) \| .+\. \|$/gm)];
  const documented = rows.map(([, name, needed, legal]) => `${name} | ${needed} | ${legal}`);
  expect(documented).toEqual(fieldRows(DEFINITION, ''));
});

test('the example of the documentation is a legal definition', () => {
  const example = /```yaml\n(.*?)```/s.exec(DOCUMENT)?.[1] as string;
  const faults: string[] = [];
  expect(readDefinition('example.yaml', example, faults)?.dataset.textId).toBe('coin_trades');
  expect(faults).toEqual([]);
});
