import type { ReactNode } from 'react';
import { Notice } from '../ui/notice';

/** What only accounts see that may read the dataset. */
export function EntitledOnly(props: { isEntitled: boolean; children: ReactNode }) {
  if (props.isEntitled) return props.children;
  return (
    <Notice kind="info" title="No access to this dataset">
      Only shown to accounts that can read this dataset.
    </Notice>
  );
}
