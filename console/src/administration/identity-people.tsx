import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { personColumns } from '../people/person-columns';
import { Button } from '../ui/button';
import { Loaded } from '../ui/loading';
import { Card } from '../ui/page';
import { Table } from '../ui/table';
import { usePersonActions } from './person-actions';
import { peopleQuery } from './queries';

/** Who may sign in for an identity. */
export function IdentityPeople({ identityId }: { identityId: number }) {
  const people = useQuery(peopleQuery(identityId));
  const { actionsOf, dialogs, create } = usePersonActions(identityId);
  const columns = personColumns(actionsOf, null);
  return (
    <Card title="People">
      <p>People who can sign in and see this account.</p>
      <div>
        <Button kind="primary" onClick={create}>
          <Plus size={16} aria-hidden />
          New person
        </Button>
      </div>
      <Loaded query={people} what="people">
        {(rows) => (
          <Table
            caption="People"
            columns={columns}
            rows={rows}
            rowKey={({ person_id }) => person_id}
            empty="Nobody can sign in to this account yet."
          />
        )}
      </Loaded>
      {dialogs}
    </Card>
  );
}
