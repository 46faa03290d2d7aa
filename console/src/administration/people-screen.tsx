import { holdsAll } from '../format/texts';
import { personColumns } from '../people/people-table';
import { AddButton } from '../ui/button';
import { Page } from '../ui/page';
import { SearchedTable } from '../ui/searched-table';
import { useAccountNames } from './names';
import { personActions, useNewPerson } from './person-actions';
import { peopleQuery } from './queries';

export default function PeopleScreen() {
  const nameOf = useAccountNames();
  const create = useNewPerson(null);
  return (
    <Page
      title="People"
      description="Who can sign in, to which account, and in which role."
      actions={<AddButton label="New person" onClick={() => create()} />}
    >
      <SearchedTable
        caption="List of people"
        what={['person', 'people']}
        of={peopleQuery(null)}
        columns={personColumns(personActions, nameOf)}
        rowKey={({ person_id }) => person_id}
        isFound={({ email, role, identity_id: id }, text) =>
          holdsAll([email, role, id === null ? '' : nameOf(id)].join(' '), text)
        }
        placeholder="E-mail address, role or account"
        empty="No people yet."
      />
    </Page>
  );
}
