/** Sizes and volumes of inputs, read by the type of those that are computed from them. Pure. */
import { UsageError } from '../base/errors.ts';
import { typeText } from '../catalog/column-types.ts';
import { type Column, type Dataset, withColumns } from '../catalog/dataset.ts';
import { quantitiesOf } from '../catalog/widening.ts';
import { isReadableAs } from '../engine/stored-columns.ts';

function refuse(output: Dataset, narrow: Column, wide: Column, { textId }: Dataset): UsageError {
  const { precision, scale } = wide;
  const place = textId === output.textId ? '' : ` of ${textId}`;
  return new UsageError(
    `${output.textId} cannot be derived: ${wide.name}${place} is ${typeText(wide)}, but ${narrow.name} is ${typeText(narrow)}; ` +
      `first run ticklake dataset widen ${textId} --digits ${precision},${scale}`,
  );
}

/** Kept, so that what is known of a dataset stays known. */
const known = new WeakMap<Dataset, Map<string, Dataset>>();

function readAs(input: Dataset, type: Column): Dataset {
  const quantities = new Set(quantitiesOf(input));
  if ([...quantities].every((column) => typeText(column) === typeText(type))) return input;
  const byType = known.getOrInsertComputed(input, () => new Map());
  const { dataType, precision = 0, scale = 0 } = type;
  return byType.getOrInsertComputed(typeText(type), () => {
    const columns = input.columns.map((column) =>
      quantities.has(column) ? { ...column, dataType, precision, scale } : column,
    );
    return withColumns(input, columns);
  });
}

/**
 * The inputs with sizes and volumes as wide as those of the output, so that all are in one unit.
 * Throws a `UsageError` with the way out where the output has narrower ones.
 */
export function inputsAsWide<Inputs extends readonly Dataset[]>(
  output: Dataset,
  inputs: Inputs,
): Inputs {
  const [type, ...others] = quantitiesOf(output);
  if (!type) return inputs;
  for (const each of others) {
    if (typeText(each) === typeText(type)) continue;
    const [narrow, wide] = isReadableAs(type, each) ? [type, each] : [each, type];
    throw refuse(output, narrow, wide, output);
  }
  return inputs.map((input) => {
    const wide = quantitiesOf(input).find((column) => !isReadableAs(column, type));
    if (wide) throw refuse(output, type, wide, input);
    return readAs(input, type);
  }) as unknown as Inputs;
}
