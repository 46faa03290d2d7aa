import { useQuery } from '@tanstack/react-query';
import { KeysTable } from '../keys/keys-table';
import { Loaded } from '../ui/loading';
import { Card } from '../ui/page';
import { identityKeysQuery } from './queries';
import type { AdministeredIdentity } from './records';

/** The keys of an identity. */
export function IdentityKeys({ identity }: { identity: AdministeredIdentity }) {
  const keys = useQuery(identityKeysQuery(identity.identity_id));
  return (
    <Card title="API keys">
      <Loaded query={keys} what="API keys">
        {(rows) => <KeysTable keys={rows} actions={null} />}
      </Loaded>
    </Card>
  );
}
