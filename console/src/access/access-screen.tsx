import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { accessRulesQuery } from '../api/queries';
import type { AccessRuleRecord } from '../api/records';
import { plural } from '../format/amounts';
import { Loaded } from '../ui/loading';
import { Page } from '../ui/page';
import { Table, type TableColumn } from '../ui/table';
import { TextField } from '../ui/text-field';
import { Toolbar } from '../ui/toolbar';
import { UniverseText } from '../ui/universe-text';
import { matchingRules } from './rule-search';

const COLUMNS: readonly TableColumn<AccessRuleRecord>[] = [
  {
    key: 'dataset',
    header: 'Dataset',
    isRowHeader: true,
    isWrapped: true,
    cell: (rule) => (
      <Link to="/catalogue/$datasetId" params={{ datasetId: rule.dataset_id }}>
        {rule.dataset_name}
      </Link>
    ),
  },
  { key: 'id', header: 'Id', cell: (rule) => <code>{rule.dataset_id}</code> },
  { key: 'from', header: 'From', cell: (rule) => rule.start_date },
  { key: 'to', header: 'To', cell: (rule) => rule.end_date ?? 'no end' },
  {
    key: 'universe',
    header: 'Identifiers',
    isWrapped: true,
    cell: (rule) => <UniverseText identifiers={rule.universe_identifiers} />,
  },
];

function countText(shown: number, all: number): string {
  return shown === all ? plural(all, 'rule') : `${shown} of ${plural(all, 'rule')}`;
}

function Rules({ rules }: { rules: readonly AccessRuleRecord[] }) {
  const [text, setText] = useState('');
  const shown = matchingRules(rules, text);
  return (
    <>
      <Toolbar label="Filter of the rules">
        <TextField
          label="Search"
          name="q"
          type="search"
          placeholder="Dataset, id or identifier"
          value={text}
          onValueChange={setText}
        />
      </Toolbar>
      <p role="status">{countText(shown.length, rules.length)}</p>
      <Table
        caption="Data access rules"
        columns={COLUMNS}
        rows={shown}
        rowKey={(rule) => `${rule.dataset_id} ${rule.start_date}`}
        empty={
          rules.length === 0
            ? 'The account may read no data yet. Those who run the service can add rules.'
            : 'No rule is about that.'
        }
      />
    </>
  );
}

/** What the account may read: which datasets, from when to when, and of which identifiers. */
export function AccessScreen() {
  const rules = useQuery(accessRulesQuery);
  return (
    <Page
      title="Data access"
      description="What the account may read: rows of these dates and identifiers. Those who run the service add and remove rules."
    >
      <Loaded query={rules} what="data access rules">
        {(data) => <Rules rules={data} />}
      </Loaded>
    </Page>
  );
}
