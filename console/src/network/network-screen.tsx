import { useQuery } from '@tanstack/react-query';
import type { AdministeredIdentity, BodyOf } from '@ticklake/client';
import { useState } from 'react';
import { ApiFailure, postJson } from '../api/client';
import { ownAccountQuery, sessionQuery } from '../api/queries';
import { mayChange, useSession } from '../session/session';
import { Button } from '../ui/button';
import { confirmChange } from '../ui/dialog';
import { useDraft } from '../ui/drafts';
import { TextField } from '../ui/field';
import { LeaveGuard } from '../ui/leave-guard';
import { Card, Notice, Page, Query } from '../ui/page';
import { Badge, Facts } from '../ui/texts';
import { useChange } from '../ui/use-change';
import styles from './address-test.module.css';
import {
  addressProblem,
  allowingSubnet,
  type Draft,
  draftOf,
  draftProblems,
  draftSubnets,
  isAllowed,
  isSameList,
} from './subnet-draft';
import { SubnetRows } from './subnet-rows';

function LockOutWarning({ address, isInForce }: { address: string; isInForce: boolean }) {
  const title = isInForce
    ? `Your own address ${address} is locked out`
    : `This list would lock out your own address ${address}`;
  return (
    <Notice kind="warning" title={title}>
      From there, requests with the account’s keys and from the Explorer are refused.
    </Notice>
  );
}

function Verdict({ subnets, address }: { subnets: readonly string[]; address: string }) {
  if (!isAllowed(subnets, address)) return <Badge kind="danger">refused</Badge>;
  const by = allowingSubnet(subnets, address);
  return (
    <>
      <Badge kind="good">allowed</Badge> {by === null ? 'because the list is empty' : `by ${by}`}
    </>
  );
}

interface AddressTestProps {
  stored: readonly string[];
  /** The list as edited; null where nothing is changed. */
  edited: readonly string[] | null;
  sourceAddress: string;
}

/** Would an address be let in? With the current list, and by the one that is edited. */
function AddressTest({ stored, edited, sourceAddress }: AddressTestProps) {
  const [address, setAddress] = useState('');
  const problem = address === '' ? '' : addressProblem(address);
  const facts = [
    { name: 'With the current list', value: <Verdict subnets={stored} address={address} /> },
  ];
  if (edited !== null) {
    facts.push({
      name: 'With your changes',
      value: <Verdict subnets={edited} address={address} />,
    });
  }
  return (
    <Card title="Test an address">
      <div className={styles.field}>
        <TextField
          label="Address"
          name="address"
          placeholder="10.1.2.3"
          value={address}
          onValueChange={(text) => setAddress(text.trim())}
          error={problem}
        />
        {sourceAddress && (
          <Button onClick={() => setAddress(sourceAddress)}>Use mine: {sourceAddress}</Button>
        )}
      </div>
      <div role="status">{address !== '' && problem === '' && <Facts facts={facts} />}</div>
    </Card>
  );
}

interface AllowListEditorProps {
  stored: readonly string[];
  draft: Draft;
  onDraftChange: (draft: Draft | null) => void;
  sourceAddress: string;
}

const SAVED = { touches: [ownAccountQuery.queryKey], done: 'The allow-list was saved' };

function saveList(list: BodyOf<'setMyIpSubnets'>): Promise<AdministeredIdentity> {
  return postJson('/account/my/ip-subnets', list);
}

/** The server knows the current address best. */
function wouldLockOut(error: Error): boolean {
  return error instanceof ApiFailure && error.status === 409;
}

function AllowListEditor(props: AllowListEditorProps) {
  const { stored, draft, onDraftChange, sourceAddress } = props;
  const subnets = draftSubnets(draft);
  const onDone = () => onDraftChange(null);
  const askToLockOut = (...sentences: readonly string[]) =>
    confirmChange({
      title: 'Lock out your own address?',
      description: `The new list does not include your current address, ${sourceAddress}. From there, requests with the account’s keys and from the Explorer will be refused. You can still change the list in this console.`,
      sentences,
      confirmLabel: 'Save and lock it out',
      isDangerous: true,
      send: () => saveList({ ip_subnets: subnets, allow_lock_out: true }),
      ...{ ...SAVED, onDone },
    });
  const save = useChange({ send: saveList, ...SAVED, onDone });
  const isChanged = !isSameList(subnets, stored);
  const hasProblem = draftProblems(draft).size > 0;
  const locksOut = !isAllowed(subnets, sourceAddress);
  const onError = (error: Error) => wouldLockOut(error) && askToLockOut(error.message);
  const submit = () =>
    locksOut ? askToLockOut() : save.mutate({ ip_subnets: subnets }, { onError });
  return (
    <>
      <SubnetRows draft={draft} onDraftChange={onDraftChange} />
      {isChanged && subnets.length === 0 && !hasProblem && (
        <Notice kind="warning">If you save the empty list, keys work from any address.</Notice>
      )}
      {locksOut && <LockOutWarning address={sourceAddress} isInForce={!isChanged} />}
      {save.error && !wouldLockOut(save.error) && (
        <Notice kind="danger">{save.error.message}</Notice>
      )}
      <div className={styles.actions}>
        <Button
          kind="primary"
          disabled={!isChanged || hasProblem}
          isBusy={save.isPending}
          onClick={submit}
        >
          Save
        </Button>
        <Button disabled={!isChanged && !hasProblem} onClick={() => onDraftChange(null)}>
          Discard changes
        </Button>
      </div>
    </>
  );
}

/** Asked for anew, since people move. */
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
          <AllowListEditor {...{ stored, draft, sourceAddress }} onDraftChange={setChanged} />
        ) : (
          <StoredList {...{ stored, sourceAddress }} />
        )}
      </Card>
      <AddressTest
        {...{ stored, sourceAddress }}
        edited={isSameList(edited, stored) ? null : edited}
      />
    </>
  );
}

export default function NetworkScreen() {
  return (
    <Page
      title="Network"
      description="The account’s API keys work only from these subnets. Changes take effect with the next request."
    >
      <Query of={ownAccountQuery} what="the allow-list">
        {({ ip_subnets: stored }) => <NetworkOf stored={stored} />}
      </Query>
    </Page>
  );
}
