import type { AdministeredIdentity } from '@ticklake/client';
import { holdsAll, utcDateText } from '../format/texts';
import { AddButton } from '../ui/button';
import { useReopened } from '../ui/drafts';
import { AccountLink } from '../ui/links';
import { showDialog } from '../ui/open-dialog';
import { Page } from '../ui/page';
import { SearchedTable } from '../ui/searched-table';
import { figureColumn, nameColumn, type TableColumn } from '../ui/table';
import { CreateAccountDialog, subnetsText } from './account-forms';
import { AccountBadges, PlanLink } from './names';
import { accountsQuery } from './queries';

const allowedText = ({ ip_subnets: subnets }: AdministeredIdentity) => subnetsText(subnets);

export const ACCOUNT_COLUMNS: readonly TableColumn<AdministeredIdentity>[] = [
  nameColumn(
    'Name',
    ({ identity_id, name }) => <AccountLink id={identity_id}>{name}</AccountLink>,
    'name',
  ),
  { header: 'ID', by: 'identity_id', cell: (row) => row.identity_id, isNumeric: true },
  { header: 'Status', by: 'status', cell: (row) => <AccountBadges account={row} /> },
  {
    header: 'Plan',
    by: 'plan_id',
    isWrapped: true,
    cell: ({ plan_id: planId }) => (planId === null ? 'None' : <PlanLink planId={planId} />),
  },
  {
    header: 'Contract ends',
    by: 'contract_ends_at',
    cell: ({ contract_ends_at: end }) => (end === null ? 'No end' : utcDateText(end)),
  },
  figureColumn('Key limit', 'max_active_api_keys', String),
  { header: 'Allowed subnets', by: allowedText, cell: allowedText },
  { header: 'Created', by: 'created_at', cell: (row) => utcDateText(row.created_at) },
];

export default function AccountsScreen() {
  const create = () => showDialog(<CreateAccountDialog />);
  useReopened('new-account', create);
  return (
    <Page
      title="Accounts"
      description="What each account can read, how much, and from where."
      actions={<AddButton label="New account" onClick={create} />}
    >
      <SearchedTable
        caption="List of accounts"
        what={['account', 'accounts']}
        of={accountsQuery}
        columns={ACCOUNT_COLUMNS}
        rowKey={({ identity_id }) => identity_id}
        isFound={({ identity_id, name, ip_subnets }, text) =>
          holdsAll([identity_id, name, ...ip_subnets].join(' '), text)
        }
        placeholder="Name, ID or subnet"
        empty="No accounts yet."
      />
    </Page>
  );
}
