/** Results as JSON, with the interface's names. */
import { printableText } from '../base/printable.ts';

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function withSnakeCaseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSnakeCaseKeys);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [snakeCase(name), withSnakeCaseKeys(inner)]),
  );
}

/** One line of JSON; keys as the HTTP interface writes them, `row_count` for `rowCount`. */
export function printableJson(value: unknown): string {
  // JSON does not escape every character that can control a terminal.
  return `${printableText(JSON.stringify(withSnakeCaseKeys(value)))}\n`;
}
