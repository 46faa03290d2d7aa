/** The rows that tables of the documents should have, from the tables of the code. */

import { OPERATORS, operatorNames } from '../src/engine/operators.ts';
import { FORMATS } from '../src/formats/formats.ts';
import { DEFAULT_DATA_REQUEST_LIMITS } from '../src/request/settings.ts';

const code = (text: string) => `\`${text}\``;

export function operatorRows(): string[][] {
  return operatorNames().map((name) => {
    const { dataTypes, sentence } = OPERATORS[name];
    return [code(`.${name}`), dataTypes.join(', '), sentence];
  });
}

export function contentTypeRows(): string[][] {
  return FORMATS.map(({ name, contentType }) => [code(name), code(contentType)]);
}

export function rowLimitRows(): string[][] {
  return FORMATS.map(({ name, rowLimits }) => {
    const { default: fallback, max } = rowLimits(DEFAULT_DATA_REQUEST_LIMITS);
    return [code(name), `${fallback}`, `${max}`];
  });
}
