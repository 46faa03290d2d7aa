import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { AdministeredIdentity } from '@ticklake/client';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { utcDateText } from '../format/texts';
import { Button } from '../ui/button';
import { hasDraft } from '../ui/drafts';
import { Loaded } from '../ui/loading';
import { Page } from '../ui/page';
import type { TableColumn } from '../ui/table';
import { subnetsText } from './identity-fields';
import { CreateIdentityDialog } from './identity-forms';
import { IdentityBadges, PlanLink } from './names';
import { identitiesQuery } from './queries';
import { SearchedTable } from './searched-table';

const COLUMNS: readonly TableColumn<AdministeredIdentity>[] = [
  {
    header: 'Name',
    isRowHeader: true,
    isWrapped: true,
    cell: ({ identity_id, name }) => (
      <Link to="/identities/$identityId" params={{ identityId: String(identity_id) }}>
        {name}
      </Link>
    ),
  },
  { header: 'ID', cell: (row) => row.identity_id, isNumeric: true },
  { header: 'State', cell: (row) => <IdentityBadges identity={row} /> },
  {
    header: 'Plan',
    isWrapped: true,
    cell: ({ plan_id: planId }) => (planId === null ? 'None' : <PlanLink planId={planId} />),
  },
  {
    header: 'Contract ends',
    cell: ({ contract_ends_at: end }) => (end === null ? 'No end' : utcDateText(end)),
  },
  { header: 'Key limit', cell: (row) => row.max_active_api_keys, isNumeric: true },
  { header: 'Allowed from', cell: (row) => subnetsText(row.ip_subnets) },
  { header: 'Created', cell: (row) => utcDateText(row.created_at) },
];

function Identities({ rows }: { rows: readonly AdministeredIdentity[] }) {
  const { q = '' } = useSearch({ from: '/signed-in/administration/identities' });
  const navigate = useNavigate({ from: '/identities' });
  return (
    <SearchedTable
      what={['account', 'accounts']}
      rows={rows}
      columns={COLUMNS}
      rowKey={({ identity_id }) => identity_id}
      searchedText={({ identity_id, name, ip_subnets }) =>
        [identity_id, name, ...ip_subnets].join(' ')
      }
      search={q}
      onSearchChange={(next) => void navigate({ search: next ? { q: next } : {}, replace: true })}
      placeholder="Name, ID or subnet"
    />
  );
}

export function IdentitiesScreen() {
  const identities = useQuery(identitiesQuery);
  const [isCreating, setIsCreating] = useState(() => hasDraft('new-account'));
  return (
    <Page
      title="Accounts"
      description="What each account can read, how much, and from where."
      actions={
        <Button kind="primary" onClick={() => setIsCreating(true)}>
          <Plus size={16} aria-hidden />
          New account
        </Button>
      }
    >
      <Loaded query={identities} what="accounts">
        {(rows) => <Identities rows={rows} />}
      </Loaded>
      {isCreating && <CreateIdentityDialog onClose={() => setIsCreating(false)} />}
    </Page>
  );
}
