import type { ApiKey } from '@ticklake/client';
import { countText, plural } from '../format/amounts';

/** How many keys are active of those that may be. */
export function KeyCeiling({ active, max }: { active: number; max: number }) {
  const count = `${plural(active, 'active key')} of ${countText(max)} allowed.`;
  if (active < max) return <span id="ceiling">{count}</span>;
  return <span id="ceiling">{count} To generate another, deactivate or delete one first.</span>;
}

export function activeCount(keys: readonly ApiKey[]): number {
  return keys.filter(({ status }) => status === 'active').length;
}
