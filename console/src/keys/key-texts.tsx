import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ApiKey } from '@ticklake/client';
import { keysQuery } from '../api/queries';
import { countText, plural } from '../format/texts';
import { mayChange, useSession } from '../session/session';
import { Notice } from '../ui/page';
import styles from './key-end.module.css';
import { pendingRotations, useRotations } from './key-rotations';

export function KeyEnd({ apiKey }: { apiKey: { readonly reference: string } }) {
  return <code className={styles.end}>…{apiKey.reference}</code>;
}

export function KeyCeiling({ active, max }: { active: number; max: number }) {
  const count = `${plural(active, 'active key')} of ${countText(max)} allowed.`;
  if (active < max) return <span id="ceiling">{count}</span>;
  return <span id="ceiling">{count} To generate another, deactivate or delete one first.</span>;
}

export function activeCount(keys: readonly ApiKey[]): number {
  return keys.filter(({ status }) => status === 'active').length;
}

/** On other screens: that old keys still wait to be revoked. */
export function UnfinishedRotations() {
  const isManager = mayChange(useSession());
  const { data: keys = [] } = useQuery(keysQuery);
  const { rotations } = useRotations();
  const { length } = pendingRotations(rotations, keys);
  if (!isManager || length === 0) return null;
  return (
    <Notice kind="warning">
      {plural(length, 'rotated key')} still {length === 1 ? 'needs' : 'need'} to be revoked.{' '}
      <Link to="/keys">Go to the API keys</Link>
    </Notice>
  );
}
