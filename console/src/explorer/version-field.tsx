import { Pin, PinOff } from 'lucide-react';
import { Button } from '../ui/button';
import { TextField } from '../ui/field';
import type { QueryFieldsProps } from './query-fields-props';

type VersionFieldProps = Omit<QueryFieldsProps, 'shape'> & {
  /** The version that the query would read now; null while it is not known. */
  version: number | null;
};

/** Which version of the dataset is read: the current one, or one that the query is kept to. */
export function VersionField({ query, edit, problems, version }: VersionFieldProps) {
  const isPinned = query.version !== '';
  return (
    <TextField
      label="Version"
      name="version"
      inputMode="numeric"
      value={query.version}
      placeholder={version === null ? '' : String(version)}
      onValueChange={(text) => edit({ version: text.trim() })}
      description={
        isPinned
          ? 'Stays the same when new data is published'
          : 'Leave empty for the current version'
      }
      error={problems.version}
      trailing={
        <Button
          disabled={!isPinned && !version}
          onClick={() => edit({ version: isPinned ? '' : String(version) })}
        >
          {isPinned ? <PinOff size={16} aria-hidden /> : <Pin size={16} aria-hidden />}
          {isPinned ? 'Unpin' : 'Pin'}
        </Button>
      }
    />
  );
}
