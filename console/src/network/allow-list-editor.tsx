import type { AdministeredIdentity, BodyOf } from '@ticklake/client';
import { useState } from 'react';
import { ApiFailure } from '../api/api-failure';
import { postJson } from '../api/client';
import { identityQuery } from '../api/queries';
import { Button } from '../ui/button';
import { ConfirmDialog } from '../ui/confirm-dialog';
import { Notice } from '../ui/notice';
import { useChange } from '../ui/use-change';
import styles from './allow-list-editor.module.css';
import { LockOutWarning } from './lock-out-warning';
import { type Draft, draftProblems, draftSubnets, isAllowed, isSameList } from './subnet-draft';
import { SubnetRows } from './subnet-rows';

interface AllowListEditorProps {
  stored: readonly string[];
  draft: Draft;
  onDraftChange: (draft: Draft | null) => void;
  /** Where the person is. */
  sourceAddress: string;
}

function useSaveList(onSaved: () => void, onLockOut: () => void) {
  return useChange({
    send: async (list: BodyOf<'setMyIpSubnets'>) => {
      try {
        return await postJson<AdministeredIdentity>('/account/my/ip-subnets', list);
      } catch (error) {
        if (error instanceof ApiFailure && error.status === 409 && !list.allow_lock_out) {
          onLockOut();
        }
        throw error;
      }
    },
    touches: [identityQuery.queryKey],
    done: 'The allow-list was saved',
    onDone: onSaved,
  });
}

/** The allow-list with what is changed about it, and the way to keep that. */
export function AllowListEditor(props: AllowListEditorProps) {
  const { stored, draft, onDraftChange, sourceAddress } = props;
  const [isAsking, setIsAsking] = useState(false);
  const save = useSaveList(
    () => {
      setIsAsking(false);
      onDraftChange(null);
    },
    () => setIsAsking(true),
  );
  const subnets = draftSubnets(draft);
  const isChanged = !isSameList(subnets, stored);
  const hasProblem = draftProblems(draft).size > 0;
  const locksOut = !isAllowed(subnets, sourceAddress);
  const submit = () => (locksOut ? setIsAsking(true) : save.mutate({ ip_subnets: subnets }));
  const close = () => {
    setIsAsking(false);
    save.reset();
  };
  return (
    <>
      <SubnetRows draft={draft} onDraftChange={onDraftChange} />
      {isChanged && subnets.length === 0 && !hasProblem && (
        <Notice kind="warning">If you save the empty list, keys work from any address.</Notice>
      )}
      {locksOut && <LockOutWarning address={sourceAddress} isInForce={!isChanged} />}
      {save.error && !isAsking && <Notice kind="danger">{save.error.message}</Notice>}
      <div className={styles.actions}>
        <Button
          kind="primary"
          disabled={!isChanged || hasProblem}
          isBusy={save.isPending}
          onClick={submit}
        >
          Save the list
        </Button>
        <Button disabled={!isChanged && !hasProblem} onClick={() => onDraftChange(null)}>
          Discard changes
        </Button>
      </div>
      <ConfirmDialog
        isOpen={isAsking}
        title="Lock out your own address?"
        description={`The new list does not include your current address, ${sourceAddress}. From there, requests with the account’s keys and from the Explorer will be refused. You can still change the list in this console.`}
        confirmLabel="Save and lock it out"
        isDangerous
        isBusy={save.isPending}
        error={save.error?.message}
        onConfirm={() => save.mutate({ ip_subnets: subnets, allow_lock_out: true })}
        onClose={close}
      />
    </>
  );
}
