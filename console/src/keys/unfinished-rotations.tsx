import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { keysQuery } from '../api/queries';
import { plural } from '../format/amounts';
import { mayChange, useSession } from '../session/use-session';
import { Notice } from '../ui/notice';
import { pendingRotations, useRotations } from './key-rotations';

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
