import { Link } from '@tanstack/react-router';
import type { DataAccessRule } from '@ticklake/client';
import { useState } from 'react';
import { accessRulesQuery } from '../api/queries';
import { foundText, ruleEndText, ruleStartText } from '../format/texts';
import { SearchField } from '../ui/field';
import { Page, Query } from '../ui/page';
import { nameColumn, Table, type TableColumn } from '../ui/table';
import { UniverseText } from '../ui/texts';
import { Toolbar } from '../ui/toolbar';
import { matchingRules } from './rule-search';

const COLUMNS: readonly TableColumn<DataAccessRule>[] = [
  nameColumn('Dataset', (rule) => (
    <Link to="/catalogue/$datasetId" params={{ datasetId: rule.dataset_id }}>
      {rule.dataset_name}
    </Link>
  )),
  { header: 'ID', cell: (rule) => <code>{rule.dataset_id}</code> },
  { header: 'From', cell: (rule) => ruleStartText(rule.start_date) },
  { header: 'To', cell: (rule) => ruleEndText(rule.end_date) },
  {
    header: 'Identifiers',
    isWrapped: true,
    cell: (rule) => <UniverseText identifiers={rule.universe_identifiers} />,
  },
];

function Rules({ rules }: { rules: readonly DataAccessRule[] }) {
  const [text, setText] = useState('');
  const shown = matchingRules(rules, text);
  return (
    <>
      <Toolbar label="Filter rules">
        <SearchField placeholder="Dataset, ID or identifier" value={text} onValueChange={setText} />
      </Toolbar>
      <p role="status">{foundText(shown.length, rules.length, 'rule')}</p>
      <Table
        caption="Data access rules"
        columns={COLUMNS}
        rows={shown}
        rowKey={(rule) => `${rule.dataset_id} ${rule.start_date}`}
        empty={
          rules.length === 0
            ? 'This account can’t read any dataset yet. Open one in the catalogue to ask for access.'
            : 'No rules match.'
        }
      />
    </>
  );
}

export default function AccessScreen() {
  return (
    <Page
      title="Data access"
      description="What this account can read, by dataset, date and identifier. The owners of this service manage the rules."
    >
      <Query of={accessRulesQuery} what="data access rules">
        {(data) => <Rules rules={data} />}
      </Query>
    </Page>
  );
}
