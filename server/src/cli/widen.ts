/** `ticklake dataset widen`: makes the sizes and volumes of datasets decimals. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UsageError } from '../base/errors.ts';
import { DEFINITIONS_FOLDER } from '../base/home-layout.ts';
import { SHIPPED_DEFINITIONS } from '../base/installation.ts';
import { counted } from '../base/printable.ts';
import { writeWholeFile } from '../base/write-whole-file.ts';
import { DECIMAL_DIGITS_MAX, type DecimalDigits, typeText } from '../catalog/column-types.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { readDefinition } from '../catalog/definition-file.ts';
import { definitionPaths } from '../catalog/load-catalog.ts';
import { narrowColumns, widenedDefinition, withDerived } from '../catalog/widened-definition.ts';
import { openCatalog } from '../open-services.ts';
import { datasetNamed } from './audited-ingest.ts';
import { type Command, EXIT, type OptionValues, option, textOf } from './command.ts';
import { openHome } from './opened-home.ts';
import { linesText } from './text.ts';

/** Every integer of 64 bits fits, and the six decimals of the US tape. */
const DIGITS: DecimalDigits = { precision: 25, scale: 6 };
const WHOLE_DIGITS_MIN = 19;

function digitsOf(values: OptionValues): DecimalDigits {
  const text = textOf(values, 'digits');
  if (text === undefined) return DIGITS;
  const [, precision = 0, scale = 0] = (/^(\d{1,2}),(\d{1,2})$/.exec(text) ?? []).map(Number);
  const isLegal = precision <= DECIMAL_DIGITS_MAX && scale > 0;
  if (isLegal && precision - scale >= WHOLE_DIGITS_MIN) return { precision, scale };
  throw new UsageError(
    `--digits must be such as 25,6: at most ${DECIMAL_DIGITS_MAX} digits, of them 1 or more after the point and at least ${WHOLE_DIGITS_MIN} before it, not ${text}`,
  );
}

interface Definition {
  readonly path: string;
  readonly text: string;
}

/** Definitions by the id of their dataset; a home's own come in place of the shipped ones. */
function definitionsOf(own: string): ReadonlyMap<string, Definition> {
  const paths = [SHIPPED_DEFINITIONS, ...(existsSync(own) ? [own] : [])].flatMap(definitionPaths);
  return new Map(
    paths.flatMap((path) => {
      const text = readFileSync(path, 'utf8');
      const read = readDefinition({ file: path, text }, []);
      return read ? [[read.dataset.datasetId, { path, text }] as const] : [];
    }),
  );
}

interface Widened extends Definition {
  readonly dataset: Dataset;
  readonly columns: readonly string[];
}

/** The definitions to write into the folder `own`, each checked. */
function widenedDefinitions(
  datasets: readonly Dataset[],
  digits: DecimalDigits,
  own: string,
): Widened[] {
  const definitions = definitionsOf(own);
  const faults: string[] = [];
  const widened = datasets.flatMap((each) => {
    const columns = narrowColumns(each, digits);
    const before = definitions.get(each.datasetId);
    if (columns.length === 0 || !before) return [];
    const isOwn = dirname(before.path) === own;
    const path = isOwn ? before.path : join(own, basename(before.path));
    const text = widenedDefinition(before.text, columns, digits);
    const dataset = readDefinition({ file: path, text }, faults)?.dataset ?? each;
    return { dataset, path, text, columns: columns.map(({ name }) => name) };
  });
  if (faults.length > 0) throw new UsageError(faults);
  return widened;
}

export const datasetWiden: Command = {
  name: ['dataset', 'widen'],
  summary: 'make sizes and volumes decimals, for files with fractional sizes',
  usage: '<dataset...>',
  options: {
    digits: option(
      'P,S',
      `P digits, S of them after the point (default: ${DIGITS.precision},${DIGITS.scale})`,
    ),
  },
  async run(context, values, names) {
    const { config, commandLine } = context;
    const digits = digitsOf(values);
    const type = typeText({ dataType: 'decimal', ...digits });
    const catalog = openCatalog(config.home);
    const named = names.map((name) => datasetNamed(catalog, name));
    const own = join(config.home, DEFINITIONS_FOLDER);
    const widened = widenedDefinitions(withDerived(catalog, named), digits, own);
    if (widened.length === 0) {
      const text = `No size or volume of ${names.join(', ')} is narrower than ${type}.\n`;
      return { value: { datasets: [] }, text, exitCode: EXIT.nothingToDo };
    }
    const { lake } = await openHome(context);
    await lake.requireReadable(widened.map(({ dataset }) => dataset));
    mkdirSync(own, { recursive: true });
    for (const { path, text } of widened) writeWholeFile(path, text);
    const value = widened.map(({ dataset: { textId }, path, columns }) => {
      return { dataset: textId, definition: path, type, columns };
    });
    const lines = value.map(({ dataset, columns: [first = '', ...others] }) => {
      const more = others.length > 0 ? ` and ${counted(others.length, 'more column')}` : '';
      return `${dataset}: ${first}${more} as ${type}`;
    });
    const next = [
      `The definitions are in ${own}. Rows of earlier versions keep their types.`,
      `If a server is running, run ${commandLine('definitions reload')}.`,
    ];
    return { value: { datasets: value }, text: linesText([...lines, '', ...next]) };
  },
};
