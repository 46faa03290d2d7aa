import type { ApiKey } from '@ticklake/client';
import { plural } from '../format/amounts';

/** How many keys are active of those that may be. */
export function KeyCeiling({ active, max }: { active: number; max: number }) {
  const count = `${active} of ${plural(max, 'key')} active.`;
  if (active < max) return <span id="ceiling">{count}</span>;
  return (
    <span id="ceiling">
      {count} No further key can be generated: deactivate or delete one first.
    </span>
  );
}

export function activeCount(keys: readonly ApiKey[]): number {
  return keys.filter(({ status }) => status === 'active').length;
}
