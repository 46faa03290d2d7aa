import { useQuery } from '@tanstack/react-query';
import { identityQuery, sessionQuery } from '../api/queries';
import { mayChange, useSession } from '../session/use-session';
import { useDraft } from '../ui/drafts';
import { LeaveGuard } from '../ui/leave-guard';
import { Loaded } from '../ui/loading';
import { Notice } from '../ui/notice';
import { Card, Page } from '../ui/page';
import { AddressTest } from './address-test';
import { AllowListEditor } from './allow-list-editor';
import { LockOutWarning } from './lock-out-warning';
import styles from './network-screen.module.css';
import { type Draft, draftOf, draftSubnets, isAllowed, isSameList } from './subnet-draft';

/** Where the person is now: asked for anew, since people move. */
function useSourceAddress(): string {
  const { sourceAddress } = useSession();
  const { data } = useQuery({ ...sessionQuery, staleTime: 0 });
  return data?.person ? data.source_address : sourceAddress;
}

interface StoredListProps {
  stored: readonly string[];
  sourceAddress: string;
}

function StoredList({ stored, sourceAddress }: StoredListProps) {
  return (
    <>
      <Notice kind="info">Only account managers can change this list.</Notice>
      {stored.length > 0 && (
        <ul className={styles.list} aria-label="Allowed subnets">
          {stored.map((subnet) => (
            <li key={subnet}>
              <code>{subnet}</code>
            </li>
          ))}
        </ul>
      )}
      {!isAllowed(stored, sourceAddress) && <LockOutWarning address={sourceAddress} isInForce />}
    </>
  );
}

function NetworkOf({ stored }: { stored: readonly string[] }) {
  const isManager = mayChange(useSession());
  const sourceAddress = useSourceAddress();
  const [changed, setChanged] = useDraft<Draft>('allow-list');
  const draft = changed ?? draftOf(stored);
  const edited = draftSubnets(draft);
  return (
    <>
      <LeaveGuard isDirty={!isSameList(edited, stored)} />
      <Card title="Allowed subnets">
        {stored.length === 0 && (
          <p>
            <strong>No restriction:</strong> the list is empty, so the account’s keys work from any
            address.
          </p>
        )}
        {isManager ? (
          <AllowListEditor
            stored={stored}
            draft={draft}
            onDraftChange={setChanged}
            sourceAddress={sourceAddress}
          />
        ) : (
          <StoredList stored={stored} sourceAddress={sourceAddress} />
        )}
      </Card>
      <AddressTest
        stored={stored}
        edited={isSameList(edited, stored) ? null : edited}
        sourceAddress={sourceAddress}
      />
    </>
  );
}

export function NetworkScreen() {
  const identity = useQuery(identityQuery);
  return (
    <Page
      title="Network"
      description="The account’s API keys work only from these subnets. Changes take effect with the next request."
    >
      <Loaded query={identity} what="the allow-list">
        {({ ip_subnets: stored }) => <NetworkOf stored={stored} />}
      </Loaded>
    </Page>
  );
}
