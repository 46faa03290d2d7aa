import { useQuery } from '@tanstack/react-query';
import { keysQuery, ownAccountQuery } from '../api/queries';
import { mayChange, useSession } from '../session/session';
import { Loaded, Notice, Page } from '../ui/page';
import { useOwnKeys } from './key-account';
import { activeCount, KeyCeiling } from './key-texts';
import { ChangeableKeys, KeysTable } from './keys-table';
import { GenerateKey } from './new-key';

const REFRESH_MS = 10_000;

export default function KeysScreen() {
  const isManager = mayChange(useSession());
  const own = useOwnKeys();
  const account = useQuery(ownAccountQuery);
  const keys = useQuery({ ...keysQuery, refetchInterval: REFRESH_MS });
  const max = account.data?.max_active_api_keys;
  const active = keys.data && activeCount(keys.data);
  const isKnown = max !== undefined && active !== undefined;
  const isFull = isKnown && active >= max;
  return (
    <Page
      title="API keys"
      description={isKnown && <KeyCeiling active={active} max={max} />}
      actions={isManager && isKnown && <GenerateKey account={own} isFull={isFull} />}
    >
      {!isManager && (
        <Notice kind="info">
          Only account managers can generate and change keys. Ask a manager of your account, or the
          owner of this service.
        </Notice>
      )}
      <Loaded query={keys} what="API keys">
        {(data) =>
          isManager ? (
            <ChangeableKeys account={own} keys={data} isFull={isFull} />
          ) : (
            <KeysTable keys={data} actionsOf={null} />
          )
        }
      </Loaded>
    </Page>
  );
}
