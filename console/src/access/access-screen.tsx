import type { DataAccessRule } from '@ticklake/client';
import { accessRulesQuery } from '../api/queries';
import { DatasetLink } from '../ui/links';
import { Page } from '../ui/page';
import { SearchedTable } from '../ui/searched-table';
import { nameColumn, type TableColumn } from '../ui/table';
import { SCOPE_COLUMNS } from './scope-columns';

/** By part of a name or id, or by a whole identifier. */
export function isRuleFound(rule: DataAccessRule, text: string): boolean {
  const searched = text.trim().toLowerCase();
  const names = [rule.dataset_id, rule.dataset_name, rule.dataset_text_id ?? ''];
  return (
    names.some((name) => name.toLowerCase().includes(searched)) ||
    rule.universe_identifiers.some((identifier) => identifier.toLowerCase() === searched)
  );
}

const COLUMNS: readonly TableColumn<DataAccessRule>[] = [
  nameColumn(
    'Dataset',
    (rule) => <DatasetLink id={rule.dataset_id}>{rule.dataset_name}</DatasetLink>,
    'dataset_name',
  ),
  { header: 'ID', by: 'dataset_id', cell: (rule) => <code>{rule.dataset_id}</code> },
  ...SCOPE_COLUMNS,
];

export default function AccessScreen() {
  return (
    <Page
      title="Data access"
      description="What this account can read, by dataset, date and identifier. The owners of this service manage the rules."
    >
      <SearchedTable
        caption="Data access rules"
        what={['rule', 'rules']}
        columns={COLUMNS}
        of={accessRulesQuery}
        rowKey={(rule) => `${rule.dataset_id} ${rule.start_date}`}
        isFound={isRuleFound}
        placeholder="Dataset, ID or identifier"
        empty="This account can’t read any dataset yet. Open one in the catalogue to ask for access."
      />
    </Page>
  );
}
