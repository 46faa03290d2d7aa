import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { personColumns } from '../people/person-columns';
import { Button } from '../ui/button';
import { Loaded } from '../ui/loading';
import { Page } from '../ui/page';
import { useIdentityNames } from './names';
import { usePersonActions } from './person-actions';
import { peopleQuery } from './queries';
import { SearchedTable } from './searched-table';

export function PeopleScreen() {
  const { q = '' } = useSearch({ from: '/signed-in/administration/people' });
  const navigate = useNavigate({ from: '/people' });
  const people = useQuery(peopleQuery(null));
  const nameOf = useIdentityNames();
  const { actionsOf, dialogs, create } = usePersonActions(null);
  return (
    <Page
      title="People"
      description="Who can sign in, to which account, and in which role."
      actions={
        <Button kind="primary" onClick={create}>
          <Plus size={16} aria-hidden />
          New person
        </Button>
      }
    >
      <Loaded query={people} what="people">
        {(rows) => (
          <SearchedTable
            what={['person', 'people']}
            rows={rows}
            columns={personColumns(actionsOf, nameOf)}
            rowKey={({ person_id }) => person_id}
            searchedText={({ email, role, identity_id }) =>
              [email, role, identity_id === null ? '' : nameOf(identity_id)].join(' ')
            }
            search={q}
            onSearchChange={(next) =>
              void navigate({ search: next ? { q: next } : {}, replace: true })
            }
            placeholder="E-mail address, role or account"
          />
        )}
      </Loaded>
      {dialogs}
    </Page>
  );
}
