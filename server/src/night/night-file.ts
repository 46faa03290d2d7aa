/** The file that says what a night loads, and its schema. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import * as v from 'valibot';
import { UsageError } from '../base/errors.ts';
import { pathFailure } from '../base/failure-text.ts';
import { readFields } from '../catalog/definition-file.ts';
import { EXPECTATIONS } from '../catalog/expectations.ts';
import { legal, objectOf, optional } from '../schema/schema.ts';

const TEXT = v.pipe(v.string(), v.minLength(1), legal('a text (numbers in quotes)'));
const FLAG = v.pipe(v.boolean(), legal('true or false'));

const LOAD = objectOf({
  files: v.pipe(
    TEXT,
    v.description('A file, a folder or a pattern, from the folder of this file on.'),
  ),
  as: optional(
    TEXT,
    'Recipe that reads them. `auto`, or neither `as` nor `dataset`: for each file the one that fits it.',
  ),
  dataset: optional(TEXT, 'Dataset whose columns the files name, in place of `as`.'),
  symbols: optional(
    TEXT,
    "The vendor's definition files that give DBN with instrument ids only its symbols, as `files`.",
  ),
  vendor: optional(TEXT, 'Who the data comes from; as the recipe says when left out.'),
  expect: optional(
    EXPECTATIONS,
    'What the new files have to bring, as in [definitions](dataset-definitions.md#deliveries).',
  ),
});

export const NIGHT = objectOf({
  loads: v.pipe(
    v.array(LOAD),
    v.minLength(1),
    legal('a list (at least 1), each the fields files, as, dataset, symbols, vendor, expect'),
    v.description('Files, each with how they are read.'),
  ),
  assign_symbols: optional(FLAG, 'True if rows without an ASID get one, as by `symbols assign`.'),
  derive: optional(FLAG, 'True if what comes from the loaded datasets is derived.'),
});

export type GivenLoad = v.InferOutput<typeof LOAD>;
export type Night = v.InferOutput<typeof NIGHT>;

/** The night of a file, with its paths from the working folder on. Throws a `UsageError`. */
export function readNight(path: string): Night {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw pathFailure(path, error);
  }
  const faults: string[] = [];
  const read = readFields(NIGHT, { file: path, text }, faults);
  for (const [at, { as, dataset }] of read?.value.loads.entries() ?? []) {
    if (as === undefined || dataset === undefined) continue;
    faults.push(`${read?.place(['loads', at])} must have as or dataset, not both`);
  }
  if (!read || faults.length > 0) throw new UsageError(faults);
  const folder = dirname(resolve(path));
  const located = read.value.loads.map(({ files, symbols, ...load }) => ({
    ...load,
    files: resolve(folder, files),
    ...(symbols === undefined ? {} : { symbols: resolve(folder, symbols) }),
  }));
  return { ...read.value, loads: located };
}
