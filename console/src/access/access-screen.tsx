import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { DataAccessRule } from '@ticklake/client';
import { useState } from 'react';
import { accessRulesQuery } from '../api/queries';
import { countText, plural } from '../format/amounts';
import { ruleEndText, ruleStartText } from '../format/coverage';
import { Loaded } from '../ui/loading';
import { Page } from '../ui/page';
import { Table, type TableColumn } from '../ui/table';
import { TextField } from '../ui/text-field';
import { Toolbar } from '../ui/toolbar';
import { UniverseText } from '../ui/universe-text';
import { matchingRules } from './rule-search';

const COLUMNS: readonly TableColumn<DataAccessRule>[] = [
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
  { key: 'id', header: 'ID', cell: (rule) => <code>{rule.dataset_id}</code> },
  { key: 'from', header: 'From', cell: (rule) => ruleStartText(rule.start_date) },
  { key: 'to', header: 'To', cell: (rule) => ruleEndText(rule.end_date) },
  {
    key: 'universe',
    header: 'Identifiers',
    isWrapped: true,
    cell: (rule) => <UniverseText identifiers={rule.universe_identifiers} />,
  },
];

function shownText(shown: number, all: number): string {
  return shown === all ? plural(all, 'rule') : `${countText(shown)} of ${plural(all, 'rule')}`;
}

function Rules({ rules }: { rules: readonly DataAccessRule[] }) {
  const [text, setText] = useState('');
  const shown = matchingRules(rules, text);
  return (
    <>
      <Toolbar label="Filter rules">
        <TextField
          label="Search"
          name="q"
          type="search"
          placeholder="Dataset, ID or identifier"
          value={text}
          onValueChange={setText}
        />
      </Toolbar>
      <p role="status">{shownText(shown.length, rules.length)}</p>
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

/** The account's access rules: datasets, dates and identifiers. */
export function AccessScreen() {
  const rules = useQuery(accessRulesQuery);
  return (
    <Page
      title="Data access"
      description="What this account can read, by dataset, date and identifier. The owners of this service manage the rules."
    >
      <Loaded query={rules} what="data access rules">
        {(data) => <Rules rules={data} />}
      </Loaded>
    </Page>
  );
}
