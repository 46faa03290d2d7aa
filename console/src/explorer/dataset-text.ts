/** Texts about a dataset that stand beside the form's fields. */
import { ruleDatesText } from '../format/coverage';
import { type DatasetShape, identifierColumns, type ShapeVariant } from './dataset-shape';

const IDENTIFIERS_SHOWN = 6;

const PARAMETER_TEXTS: Readonly<Record<string, (value: string) => string>> = {
  adjusted: (value) => (value === 'true' ? 'adjusted' : 'as traded'),
  aggregation_logic: (value) => (value === 'industry_std' ? 'industry standard' : value),
};

/** `Adjusted, industry standard`. */
export function variantLabel({ parameters, dataset_name, is_entitled }: ShapeVariant): string {
  const texts = Object.entries(parameters).map(
    ([name, value]) => PARAMETER_TEXTS[name]?.(value) ?? `${name} ${value}`,
  );
  const text = texts.length > 0 ? texts.join(', ') : dataset_name;
  const label = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return is_entitled ? label : `${label} (no access)`;
}

function listText(identifiers: readonly string[]): string {
  if (identifiers.length === 0) return 'all identifiers';
  const shown = identifiers.slice(0, IDENTIFIERS_SHOWN).join(', ');
  const more = identifiers.length - IDENTIFIERS_SHOWN;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** The windows and universes of the rules, in a sentence. */
export function accessText({ rules, is_entitled }: DatasetShape): string {
  if (!is_entitled || rules.length === 0) {
    return 'No rule gives your account access to this dataset.';
  }
  const texts = rules.map(({ start_date, end_date, universe_identifiers }) => {
    return `${ruleDatesText(start_date, end_date)}, ${listText(universe_identifiers)}`;
  });
  return `You may read: ${texts.join('; ')}.`;
}

/** What may be typed, as short as the field is. */
export function identifierExample(shape: DatasetShape): string {
  const columns = identifierColumns(shape);
  if (shape.root_column !== null) return columns === null ? 'ESZ6 or ES.c.0' : 'ESZ6, ES or ES.c.0';
  if (columns === null) return 'Ticker or number';
  return [columns.text, columns.integer].filter((name) => name !== null).join(' or ');
}

export function identifierHint(shape: DatasetShape): string {
  const columns = identifierColumns(shape);
  if (columns === null) return 'A ticker, or a number where the dataset has them';
  const names = [columns.text, columns.integer].filter((name) => name !== null);
  if (shape.root_column !== null) {
    return 'A contract such as ESZ6, a root such as ES, or a continuous contract such as ES.c.0; several are separated by commas';
  }
  const instead = (shape.required_filters[0] ?? []).filter((name) => !names.includes(name));
  const orElse = instead.length > 0 ? `; or filter by ${instead.join(' or ')}` : '';
  return `${names.join(' or ')}; several are separated by commas${orElse}`;
}
