import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AdministeredIdentity, PublicationSummary } from '@ticklake/client';
import { useMemo } from 'react';
import { Badge, type BadgeKind, EmailText } from '../ui/texts';
import { auditReference, localActorText } from './audit';
import styles from './names.module.css';
import { accountsQuery, peopleQuery, plansQuery } from './queries';
import { STATE_LABELS } from './searches';

/** Names of accounts by their ids; `Account 3` while the name is not known. */
export function useAccountNames(): (accountId: number) => string {
  const { data } = useQuery(accountsQuery);
  const names = useMemo(
    () => new Map(data?.map(({ identity_id, name }) => [identity_id, name])),
    [data],
  );
  return (accountId) => names.get(accountId) ?? `Account ${accountId}`;
}

function usePersonEmail(id: number): string | undefined {
  const { data: people } = useQuery(peopleQuery(null));
  return people?.find(({ person_id }) => person_id === id)?.email;
}

export function AccountLink({ id, children }: { id: number; children: React.ReactNode }) {
  return (
    <Link to="/accounts/$accountId" params={{ accountId: String(id) }}>
      {children}
    </Link>
  );
}

export function PlanLink({ planId }: { planId: number }) {
  const { data: plans } = useQuery(plansQuery);
  return (
    <Link to="/plans/$planId" params={{ planId: String(planId) }}>
      {plans?.find(({ plan_id }) => plan_id === planId)?.name ?? `Plan ${planId}`}
    </Link>
  );
}

export function PublicationLink({ id }: { id: number }) {
  return (
    <Link to="/publications/$publicationId" params={{ publicationId: String(id) }}>
      {`Publication ${id}`}
    </Link>
  );
}

function AccountActor({ id }: { id: number }) {
  const nameOf = useAccountNames();
  return <AccountLink id={id}>{nameOf(id)}</AccountLink>;
}

function PersonActor({ id }: { id: number }) {
  const email = usePersonEmail(id);
  return email === undefined ? `Person ${id}` : <EmailText email={email} />;
}

export function ActorName({ actor }: { actor: string }) {
  const reference = auditReference(actor);
  if (reference?.kind === 'identity') return <AccountActor id={reference.id} />;
  if (reference?.kind === 'person') return <PersonActor id={reference.id} />;
  return localActorText(actor) ?? actor;
}

interface NameProps {
  name: string;
  id: number;
  subject: string;
}

function AccountName({ name, id }: NameProps) {
  const nameOf = useAccountNames();
  return (
    <>
      <AccountLink id={id}>
        <code>{name}</code>
      </AccountLink>{' '}
      <span className={styles.called}>{nameOf(id)}</span>
    </>
  );
}

function PersonName({ name, id, subject }: NameProps) {
  const email = usePersonEmail(id) ?? subject;
  return (
    <>
      <code>{name}</code> <span className={styles.called}>{email}</span>
    </>
  );
}

/** The name of an actor or a target today, or else the one in the entry (`subject`). */
export function AuditName({ name, subject = '' }: { name: string; subject?: string }) {
  const reference = auditReference(name);
  const props = { name, id: reference?.id ?? 0, subject };
  if (reference?.kind === 'identity') return <AccountName {...props} />;
  if (reference?.kind === 'person') return <PersonName {...props} />;
  return (
    <>
      <code>{name}</code> <span className={styles.called}>{subject}</span>
    </>
  );
}

const KINDS: Readonly<Record<PublicationSummary['state'], BadgeKind>> = {
  running: 'warning',
  published: 'good',
  unchanged: 'quiet',
  refused: 'danger',
  failed: 'danger',
  rolled_back: 'quiet',
};

export function PublicationState({ of }: { of: Pick<PublicationSummary, 'state' | 'is_open'> }) {
  return <Badge kind={KINDS[of.state]}>{STATE_LABELS[of.is_open ? 'open' : of.state]}</Badge>;
}

const STATUSES: Readonly<
  Record<AdministeredIdentity['status'], { kind: BadgeKind; text: string }>
> = {
  active: { kind: 'good', text: 'active' },
  deactivated: { kind: 'danger', text: 'deactivated' },
  ended: { kind: 'danger', text: 'contract ended' },
};

export function AccountBadges({ account }: { account: AdministeredIdentity }) {
  return (
    <>
      <Badge kind={STATUSES[account.status].kind}>{STATUSES[account.status].text}</Badge>{' '}
      {account.is_admin && <Badge kind="warning">administrator</Badge>}
    </>
  );
}
