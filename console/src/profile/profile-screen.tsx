import type { Role } from '@ticklake/client';
import { type Session, useSession } from '../session/use-session';
import { EmailText } from '../ui/email-text';
import { Facts } from '../ui/facts';
import { MomentText } from '../ui/moment-text';
import { Card, Page } from '../ui/page';
import { ChangePassword } from './change-password';
import { SecondFactorCard } from './second-factor-card';
import { SessionsCard } from './sessions-card';

const ROLE_TEXTS: Readonly<Record<Role, string>> = {
  member: 'Member: sees the account and explores data',
  manager: 'Manager: also changes keys, subnets and the team',
  owner: 'Owner: administers all accounts',
};

function factsOf({ person, identity, sourceAddress }: Session) {
  return [
    { name: 'E-mail address', value: <EmailText email={person.email} /> },
    { name: 'Role', value: ROLE_TEXTS[person.role] },
    { name: 'Account', value: identity?.name ?? 'None' },
    { name: 'Last sign-in', value: <MomentText time={person.last_sign_in_at} isShort /> },
    { name: 'Created', value: <MomentText time={person.created_at} isShort /> },
    { name: 'Your address', value: sourceAddress },
  ];
}

export function ProfileScreen() {
  const session = useSession();
  return (
    <Page title="Profile">
      <Card title="Your details">
        <Facts facts={factsOf(session)} />
      </Card>
      <SecondFactorCard />
      <SessionsCard />
      <Card title="Change your password">
        <ChangePassword email={session.person.email} />
      </Card>
    </Page>
  );
}
