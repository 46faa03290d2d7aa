/** Python of some schemas of an OpenAPI document: a `TypedDict` for each object. */
import type { ApiDocument, JsonSchema } from './typescript-of.ts';

/** `files` of a `Manifest` are `ManifestFiles`. */
function nameWithin(owner: string, member: string): string {
  const words = member.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return owner + words.join('');
}

class Declarations {
  readonly #document: ApiDocument;
  readonly #byName = new Map<string, string>();

  constructor(document: ApiDocument) {
    this.#document = document;
  }

  /** In order: a declaration comes before those that use it. */
  get texts(): readonly string[] {
    return [...this.#byName.values()];
  }

  require(name: string): string {
    const schema = this.#document.components.schemas[name];
    if (!schema) throw new Error(`there is no schema ${name}`);
    const type = this.#typeText(schema, name);
    if (type !== name && !this.#byName.has(name)) this.#byName.set(name, `${name} = ${type}`);
    return name;
  }

  /** The types of the members of a schema without others in it, in the words of the catalogue. */
  requireTypes(name: string): void {
    const { properties = {} } = this.#document.components.schemas[name] ?? {};
    const rows = Object.entries(properties).map(([member, { type, format }]) => {
      const plain = [type ?? []].flat().find((each) => each !== 'null');
      return `    "${member}": "${format ?? plain}",`;
    });
    const constant = name.replace(/(?<=[a-z])[A-Z]/g, '_$&').toUpperCase();
    this.#byName.set(constant, `${constant} = {\n${rows.join('\n')}\n}`);
  }

  #typeText(schema: JsonSchema, name: string): string {
    const { $ref, type, oneOf, anyOf } = schema;
    if ($ref !== undefined) return this.require($ref.slice($ref.lastIndexOf('/') + 1));
    const choices = oneOf ?? anyOf;
    const texts =
      choices && !type
        ? choices.map((choice) => this.#typeText(choice, name))
        : [type ?? []].flat().map((each) => this.#textOf(each, schema, name));
    return texts.length === 0 ? 'Any' : [...new Set(texts)].join(' | ');
  }

  #textOf(type: string, schema: JsonSchema, name: string): string {
    const { enum: values, items = {} } = schema;
    const texts: Readonly<Record<string, () => string>> = {
      string: () => (values ? `Literal[${values.map((each) => `"${each}"`).join(', ')}]` : 'str'),
      integer: () => 'int',
      number: () => 'float',
      boolean: () => 'bool',
      null: () => 'None',
      array: () => `list[${this.#typeText(items, name)}]`,
      object: () => this.#objectText(schema, name),
    };
    return texts[type]?.() ?? 'Any';
  }

  #objectText(schema: JsonSchema, name: string): string {
    const { properties, required = [], additionalProperties } = schema;
    if (!properties) {
      return `dict[str, ${additionalProperties ? this.#typeText(additionalProperties, name) : 'Any'}]`;
    }
    const members = Object.entries(properties).map(([member, each]) => {
      const text = this.#typeText(each, nameWithin(name, member));
      return `    ${member}: ${required.includes(member) ? text : `NotRequired[${text}]`}`;
    });
    this.#byName.set(name, `class ${name}(TypedDict):\n${members.join('\n')}`);
    return name;
  }
}

/** A module with these schemas, those that they are made of, and tables of the types of others. */
export function pythonOf(
  document: ApiDocument,
  names: readonly string[],
  tables: readonly string[],
): string {
  const declarations = new Declarations(document);
  for (const name of names) declarations.require(name);
  for (const name of tables) declarations.requireTypes(name);
  const body = declarations.texts.join('\n\n');
  const used = ['Any', 'Literal', 'NotRequired', 'TypedDict'].filter((each) =>
    new RegExp(`\\b${each}\\b`).test(body),
  );
  return [
    '"""Answers of the service. Made by `npm run build:client` from its schemas."""\n',
    '# ruff: noqa: E501\n# fmt: off\n',
    `from typing import ${used.join(', ')}\n\n`,
    `${body}\n`,
  ].join('\n');
}
