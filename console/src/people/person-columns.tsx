import { Link } from '@tanstack/react-router';
import type { Person } from '@ticklake/client';
import { utcDateText } from '../format/times';
import { sentenceCase } from '../format/words';
import { type Action, ActionMenu } from '../ui/action-menu';
import { Badge } from '../ui/badge';
import { EmailText } from '../ui/email-text';
import { MomentText } from '../ui/moment-text';
import type { TableColumn } from '../ui/table';
import { isInvited } from './link-making';

function PersonState({ person }: { person: Person }) {
  if (!person.is_active) return <Badge kind="danger">deactivated</Badge>;
  if (person.is_password_initial) {
    return <Badge kind="warning">{isInvited(person) ? 'invited' : 'initial password'}</Badge>;
  }
  return <Badge kind="good">{person.has_second_factor ? 'active, two factors' : 'active'}</Badge>;
}

interface IdentityLinkProps {
  identityId: number | null;
  nameOf: (identityId: number) => string;
}

function IdentityLink({ identityId, nameOf }: IdentityLinkProps) {
  if (identityId === null) return '–';
  return (
    <Link to="/identities/$identityId" params={{ identityId: String(identityId) }}>
      {nameOf(identityId)}
    </Link>
  );
}

/** Columns of a table of people. */
export function personColumns(
  actionsOf: (person: Person) => readonly Action[],
  nameOf: (identityId: number) => string,
): readonly TableColumn<Person>[] {
  return [
    {
      key: 'email',
      header: 'E-mail address',
      isRowHeader: true,
      isWrapped: true,
      cell: ({ email }) => <EmailText email={email} />,
    },
    { key: 'role', header: 'Role', cell: ({ role }) => sentenceCase(role) },
    {
      key: 'identity',
      header: 'Account',
      cell: ({ identity_id }) => <IdentityLink identityId={identity_id} nameOf={nameOf} />,
    },
    { key: 'state', header: 'State', cell: (person) => <PersonState person={person} /> },
    {
      key: 'signed-in',
      header: 'Last signed in',
      cell: ({ last_sign_in_at }) => <MomentText time={last_sign_in_at} isShort absent="Never" />,
    },
    { key: 'created', header: 'Created', cell: ({ created_at }) => utcDateText(created_at) },
    {
      key: 'actions',
      header: 'Actions',
      isPinned: true,
      cell: (person) => {
        const actions = actionsOf(person);
        if (actions.length === 0) return null;
        return <ActionMenu label={`Actions for ${person.email}`} actions={actions} />;
      },
    },
  ];
}
