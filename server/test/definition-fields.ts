/** The fields of definition files as a list. */
import * as v from 'valibot';
import { DEFINITION } from '../src/catalog/definition.ts';
import { legalText, type Schema, schemaInside, structureOf } from '../src/schema/schema.ts';

interface DefinitionField {
  /** The way to it: `columns[].name`. */
  readonly name: string;
  readonly isNeeded: boolean;
  readonly legal: string;
  readonly meaning: string;
}

function fieldsInside(schema: Schema, prefix: string): DefinitionField[] {
  const { entries, item } = structureOf(schema);
  if (item) return fieldsInside(item, `${prefix.slice(0, -1)}[].`);
  return Object.entries(entries ?? {}).flatMap(([name, entry]) => {
    const field = schemaInside(schema, name) as Schema;
    return [
      {
        name: `${prefix}${name}`,
        isNeeded: field === entry,
        legal: legalText(field),
        meaning: v.getDescription(field) ?? '',
      },
      ...fieldsInside(field, `${prefix}${name}.`),
    ];
  });
}

/** Every field of a schema, each before those inside of it; those of definitions by default. */
export function definitionFields(schema: Schema = DEFINITION): DefinitionField[] {
  return fieldsInside(schema, '');
}
