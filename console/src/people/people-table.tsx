import type { Person } from '@ticklake/client';
import { sentenceCase, utcDateText } from '../format/texts';
import { type Action, ActionMenu } from '../ui/action-menu';
import { AccountLink } from '../ui/links';
import { momentColumn, nameColumn, Table, type TableColumn } from '../ui/table';
import { Badge, EmailText } from '../ui/texts';
import { isInvited } from './link-making';

function stateOf(person: Person): string {
  if (!person.is_active) return 'deactivated';
  if (person.is_password_initial) return isInvited(person) ? 'invited' : 'initial password';
  return person.has_second_factor ? 'active, two factors' : 'active';
}

function PersonState({ person }: { person: Person }) {
  const kind = person.is_password_initial ? 'warning' : 'good';
  return <Badge kind={person.is_active ? kind : 'danger'}>{stateOf(person)}</Badge>;
}

function accountColumn(nameOf: (accountId: number) => string): TableColumn<Person> {
  return {
    header: 'Account',
    by: ({ identity_id: id }) => (id === null ? null : nameOf(id)),
    cell: ({ identity_id: id }) =>
      id === null ? '–' : <AccountLink id={id}>{nameOf(id)}</AccountLink>,
  };
}

/** Columns of a table of people; `nameOf` is null where all are of one account. */
export function personColumns(
  actionsOf: (person: Person) => readonly Action[],
  nameOf: ((accountId: number) => string) | null,
): readonly TableColumn<Person>[] {
  return [
    nameColumn('E-mail address', ({ email }) => <EmailText email={email} />, 'email'),
    { header: 'Role', by: 'role', cell: ({ role }) => sentenceCase(role) },
    ...(nameOf === null ? [] : [accountColumn(nameOf)]),
    { header: 'Status', by: stateOf, cell: (person) => <PersonState person={person} /> },
    momentColumn('Last signed in', 'last_sign_in_at', 'Never'),
    { header: 'Created', by: 'created_at', cell: ({ created_at }) => utcDateText(created_at) },
    {
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

interface PeopleTableProps {
  caption: string;
  rows: readonly Person[];
  actionsOf: (person: Person) => readonly Action[];
}

/** The people of one account. */
export function PeopleTable({ caption, rows, actionsOf }: PeopleTableProps) {
  return (
    <Table
      {...{ caption, rows }}
      columns={personColumns(actionsOf, null)}
      rowKey={({ person_id }) => person_id}
      empty="Nobody can sign in to this account yet."
    />
  );
}
