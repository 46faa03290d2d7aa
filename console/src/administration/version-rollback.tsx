import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../ui/button';
import { publicationsQuery, versionDiffQuery } from './queries';
import { RollbackDialog } from './rollback-dialog';
import { versionSentences } from './rollback-text';

interface VersionRollbackProps {
  datasetId: string;
  version: number;
}

function AskForRollback({
  datasetId,
  version,
  current,
  onClose,
}: VersionRollbackProps & { current: number; onClose: () => void }) {
  const diff = useQuery(versionDiffQuery(datasetId, version, current));
  const sentences = diff.data?.datasets.map((each) => versionSentences(each));
  return (
    <RollbackDialog
      title={`Roll ${datasetId} back to version ${version}?`}
      sentences={sentences ?? [diff.error?.message ?? 'Checking what would change…']}
      isReady={sentences !== undefined}
      target={{ dataset_id: datasetId, to_version: version }}
      done={`${datasetId} is back at version ${version}`}
      onClose={onClose}
    />
  );
}

/** A button that makes an earlier version current again; nothing where it is the current one. */
export function VersionRollback({ datasetId, version }: VersionRollbackProps) {
  const [isAsked, setIsAsked] = useState(false);
  const { data: datasets = [] } = useQuery(publicationsQuery);
  const current = datasets.find((each) => each.dataset_id === datasetId)?.version ?? 0;
  if (current <= version) return null;
  const ask = { datasetId, version, current };
  return (
    <div>
      <Button onClick={() => setIsAsked(true)}>{`Roll back to version ${version}…`}</Button>
      {isAsked && <AskForRollback {...ask} onClose={() => setIsAsked(false)} />}
    </div>
  );
}
