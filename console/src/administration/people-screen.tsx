import { Plus } from 'lucide-react';
import { personColumns } from '../people/person-columns';
import { Button } from '../ui/button';
import { Page, Query } from '../ui/page';
import { useAccountNames } from './names';
import { usePersonActions } from './person-actions';
import { peopleQuery } from './queries';
import { SearchedTable } from './searched-table';

export default function PeopleScreen() {
  const nameOf = useAccountNames();
  const { actionsOf, dialogs, create } = usePersonActions(null);
  return (
    <Page
      title="People"
      description="Who can sign in, to which account, and in which role."
      actions={
        <Button icon={Plus} kind="primary" onClick={create}>
          New person
        </Button>
      }
    >
      <Query of={peopleQuery(null)} what="people">
        {(rows) => (
          <SearchedTable
            what={['person', 'people']}
            rows={rows}
            columns={personColumns(actionsOf, nameOf)}
            rowKey={({ person_id }) => person_id}
            searchedText={({ email, role, identity_id }) =>
              [email, role, identity_id === null ? '' : nameOf(identity_id)].join(' ')
            }
            placeholder="E-mail address, role or account"
          />
        )}
      </Query>
      {dialogs}
    </Page>
  );
}
