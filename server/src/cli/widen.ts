/** `ticklake dataset widen`: makes the sizes and volumes of datasets decimals. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../base/errors.ts';
import { DEFINITIONS_FOLDER } from '../base/home-layout.ts';
import { counted } from '../base/printable.ts';
import { writeWholeFile } from '../base/write-whole-file.ts';
import {
  DECIMAL_DIGITS_MAX,
  type DecimalDigits,
  decimalDigits,
  typeText,
} from '../catalog/column-types.ts';
import type { Column, Dataset } from '../catalog/dataset.ts';
import { quantitiesOf, WHOLE_DIGITS_MIN, widenedDatasets } from '../catalog/widening.ts';
import { openCatalog } from '../open-services.ts';
import { datasetNamed } from './audited-ingest.ts';
import { type Command, EXIT, type OptionValues, option, textOf } from './command.ts';
import { openHome } from './opened-home.ts';
import { linesText } from './text.ts';

/** Every integer of 64 bits fits, and the six decimals of the US tape. */
const DIGITS: DecimalDigits = { precision: 25, scale: 6 };

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

/** With the digits of the dataset, which may have had more than were asked for. */
function fileText(textId: string, datasets: readonly Dataset[]): string {
  const dataset = datasets.find((each) => each.textId === textId) as Dataset;
  const { precision, scale } = decimalDigits(quantitiesOf(dataset)[0] as Column);
  return (
    `# Sizes and volumes of ${textId}, and of all that is derived from it, are decimals.\n` +
    `widens: ${textId}\nprecision: ${precision}\nscale: ${scale}\n`
  );
}

function changesOf(before: readonly Dataset[], after: readonly Dataset[]) {
  return after.flatMap((dataset, d) => {
    const columns = dataset.columns.filter((column, c) => column !== before[d]?.columns[c]);
    const { textId } = dataset;
    return columns.map((column) => ({ textId, name: column.name, type: typeText(column) }));
  });
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
    const catalog = openCatalog(config.home);
    const named = names.map((name) => datasetNamed(catalog, name).textId);
    const widenings = named.map((textId) => ({ textId, ...digits, place: '' }));
    const faults: string[] = [];
    const widened = widenedDatasets(catalog.datasets, widenings, faults);
    if (faults.length > 0) throw new UsageError(faults);
    const changes = Map.groupBy(changesOf(catalog.datasets, widened), ({ textId }) => textId);
    if (changes.size === 0) {
      const text = `No size or volume of ${names.join(', ')} is narrower.\n`;
      return { value: { datasets: [], definitions: [] }, text, exitCode: EXIT.nothingToDo };
    }
    const { lake } = await openHome(context);
    await lake.requireReadable(widened);
    const folder = join(config.home, DEFINITIONS_FOLDER);
    mkdirSync(folder, { recursive: true });
    const definitions = named.map((textId) => join(folder, `${textId}.widened.yaml`));
    for (const [i, path] of definitions.entries()) {
      writeWholeFile(path, fileText(named[i] as string, widened));
    }
    const datasets = [...changes].map(([dataset, columns]) => {
      return { dataset, columns: columns.map(({ name, type }) => ({ name, type })) };
    });
    const lines = datasets.map(({ dataset, columns: [first, ...others] }) => {
      const more = others.length > 0 ? ` and ${counted(others.length, 'more column')}` : '';
      return `${dataset}: ${first?.name}${more} as ${first?.type}`;
    });
    const next = [
      `This is in ${definitions.join(', ')}. Rows of earlier versions keep their types.`,
      `If a server is running, run ${commandLine('definitions reload')}.`,
    ];
    return { value: { datasets, definitions }, text: linesText([...lines, '', ...next]) };
  },
};
