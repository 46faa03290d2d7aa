import { useQuery } from '@tanstack/react-query';
import type { AdministeredIdentity } from '@ticklake/client';
import { useMemo } from 'react';
import { ChangeableKeys } from '../keys/changeable-keys';
import { type KeyAccount, KeyAccountContext } from '../keys/key-account';
import { activeCount, KeyCeiling } from '../keys/key-ceiling';
import { GenerateKey } from '../keys/new-key';
import { Loaded } from '../ui/loading';
import { Card } from '../ui/page';
import { identityKeysQuery, identityTouches } from './queries';

const REFRESH_MS = 10_000;

function accountOf({
  identity_id: identityId,
  contract_ends_at: contractEndsAt,
}: AdministeredIdentity): KeyAccount {
  return {
    contractEndsAt,
    keysPath: `/identities/${identityId}/api-keys`,
    keyPath: (keyId) => `/api-keys/${keyId}`,
    touches: identityTouches(identityId),
  };
}

/** The keys of an identity, and all that its managers can do with them. */
export function IdentityKeys({ identity }: { identity: AdministeredIdentity }) {
  const { identity_id: id, max_active_api_keys: max } = identity;
  const account = useMemo(() => accountOf(identity), [identity]);
  const keys = useQuery({ ...identityKeysQuery(id), refetchInterval: REFRESH_MS });
  return (
    <Card title="API keys">
      <KeyAccountContext value={account}>
        <Loaded query={keys} what="API keys">
          {(rows) => {
            const active = activeCount(rows);
            return (
              <>
                <p>
                  <KeyCeiling active={active} max={max} />
                </p>
                <div>
                  <GenerateKey isFull={active >= max} />
                </div>
                <ChangeableKeys keys={rows} isFull={active >= max} />
              </>
            );
          }}
        </Loaded>
      </KeyAccountContext>
    </Card>
  );
}
