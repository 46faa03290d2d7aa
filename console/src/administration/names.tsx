import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AdministeredIdentity, PublicationSummary } from '@ticklake/client';
import { useMemo } from 'react';
import { AccountLink } from '../ui/links';
import { Badge, type BadgeKind, EmailText } from '../ui/texts';
import { auditReference, referenceText } from './audit';
import styles from './names.module.css';
import { accountsQuery, peopleQuery, plansQuery } from './queries';

/** Names of accounts by their ids; `Account 3` while the name is not known. */
export function useAccountNames(): (accountId: number) => string {
  const { data } = useQuery(accountsQuery);
  const names = useMemo(
    () => new Map(data?.map(({ identity_id, name }) => [identity_id, name])),
    [data],
  );
  return (accountId) => names.get(accountId) ?? `Account ${accountId}`;
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

/** The name of an account or a person today, asked for only where one is meant. */
function useNamed(name: string) {
  const { kind, id } = auditReference(name) ?? { kind: null, id: 0 };
  const { data: accounts } = useQuery({ ...accountsQuery, enabled: kind === 'identity' });
  const { data: people } = useQuery({ ...peopleQuery(null), enabled: kind === 'person' });
  const accountName = accounts?.find(({ identity_id }) => identity_id === id)?.name;
  return {
    ...{ kind, id, accountName: accountName ?? `Account ${id}` },
    email: people?.find(({ person_id }) => person_id === id)?.email,
  };
}

export function ActorName({ actor }: { actor: string }) {
  const { kind, id, accountName, email } = useNamed(actor);
  if (kind === 'identity') return <AccountLink id={id}>{accountName}</AccountLink>;
  if (kind === 'person') return email === undefined ? `Person ${id}` : <EmailText email={email} />;
  return referenceText(actor);
}

/** The name of an actor or a target today, or else the one in the entry (`subject`). */
export function AuditName({ name, subject = '' }: { name: string; subject?: string }) {
  const { kind, id, accountName, email = subject } = useNamed(name);
  const text = referenceText(name);
  return (
    <>
      {kind === 'identity' ? <AccountLink id={id}>{text}</AccountLink> : text}{' '}
      <span className={styles.called}>{kind === 'identity' ? accountName : email}</span>
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
  return <Badge kind={KINDS[of.state]}>{of.is_open ? 'open' : of.state}</Badge>;
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
