/** The name of a downloaded file: it says dataset, identifiers and dates. */
import { type DatasetShape, identifierColumns, rangeColumn } from './dataset-shape';
import { DOWNLOAD_KINDS, type DownloadFormat } from './download-format';
import type { ExplorerRequest } from './explorer-request';

const CHARACTERS_MAX = 120;
/** More identifiers than these are counted. */
const IDENTIFIERS_MAX = 3;

/** As part of a name, of characters that no system minds. */
function joined(words: readonly string[]): string {
  return words
    .filter(Boolean)
    .map((word) => word.replaceAll(/[^A-Za-z0-9.-]+/g, '_'))
    .join('_');
}

export function downloadName(
  { segments, parameters }: ExplorerRequest,
  shape: DatasetShape,
  format: DownloadFormat,
): string {
  const valuesOf = (...names: string[]) =>
    parameters.flatMap(({ name, value }) => (names.includes(name) ? value.split(',') : []));
  const { text = null, integer = null } = identifierColumns(shape) ?? {};
  const columns = [text, integer, shape.root_column].filter((name) => name !== null);
  const identifiers = valuesOf(...columns.flatMap((name) => [name, `${name}.in`])).sort();
  const more = identifiers.length - IDENTIFIERS_MAX;
  const named = identifiers.slice(0, IDENTIFIERS_MAX);
  const head = joined([...segments.slice(1), ...named, more > 0 ? `and_${more}_more` : '']);
  const date = rangeColumn(shape) ?? '';
  const [from = ''] = valuesOf(`${date}.ge`);
  const [to = ''] = valuesOf(`${date}.le`);
  const range = to === '' ? [from && `from_${from}`] : [from || 'to', to];
  const tail = joined([...valuesOf(date).slice(0, 1), ...range]);
  const room = CHARACTERS_MAX - (tail === '' ? 0 : tail.length + 1);
  const name = joined([head.slice(0, room), tail]).slice(0, CHARACTERS_MAX);
  return `${name}${DOWNLOAD_KINDS[format].suffix}`;
}
