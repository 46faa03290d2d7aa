/** Conditions of a plan as JSON, for digests that tell plans apart. */
import type { Column } from '../catalog/dataset.ts';

/** A replacer: columns go by their name; a bigint gets a form that no text has. */
export function conditionJson(name: string, value: unknown): unknown {
  if (name === 'column') return (value as Column).name;
  return typeof value === 'bigint' ? { bigint: `${value}` } : value;
}
