import type { UsageOfMonth } from '@ticklake/client';
import { Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import { apiUrl, queryString } from '../api/client';
import { bytesText } from '../format/texts';
import { useKnownSearch } from '../layout/known-search';
import { ButtonAnchor } from '../ui/button';
import { TextField } from '../ui/field';
import { AccountLink } from '../ui/links';
import { Page, Query } from '../ui/page';
import { figureColumn, nameColumn, Table, type TableColumn } from '../ui/table';
import { Toolbar } from '../ui/toolbar';
import { usageByMonthQuery } from './queries';
import {
  type MonthRange,
  monthProblem,
  monthText,
  rangeProblem,
  readMonthRange,
  shownMonths,
} from './searches';

interface MonthFieldProps {
  label: string;
  name: string;
  value: string;
  onValueChange: (value: string) => void;
  error: string;
}

/** A month that is typed as the service tells months, in every browser. */
function MonthField({ value, onValueChange, error, ...field }: MonthFieldProps) {
  const [typed, setTyped] = useState(value);
  const [isLeft, setIsLeft] = useState(true);
  useEffect(() => setTyped(value), [value]);
  const problem = monthProblem(typed);
  return (
    <TextField
      {...field}
      value={typed}
      placeholder="YYYY-MM"
      inputMode="numeric"
      onValueChange={(text) => {
        const month = monthText(text);
        setTyped(month);
        setIsLeft(false);
        if (!monthProblem(month)) onValueChange(month);
      }}
      onBlur={() => setIsLeft(true)}
      onKeyDown={({ key }) => key === 'Enter' && setIsLeft(true)}
      error={problem && isLeft ? problem : error}
    />
  );
}

export const MONTH_COLUMNS: readonly TableColumn<UsageOfMonth>[] = [
  { header: 'Month', by: 'month', cell: (row) => row.month },
  nameColumn(
    'Account',
    ({ identity_id, name }) => (
      <AccountLink id={identity_id} tab="usage">
        {name || `Account ${identity_id}`}
      </AccountLink>
    ),
    'name',
  ),
  figureColumn('Requests', 'requests'),
  figureColumn('Rows', 'row_count'),
  figureColumn('Symbols', 'symbol_count'),
  figureColumn('Scanned', 'data_scanned', bytesText),
  figureColumn('Returned', 'data_returned', bytesText),
];

function UsageTable({ from, to }: Required<MonthRange>) {
  return (
    <Query of={usageByMonthQuery(from, to)} what="usage">
      {({ data }) => (
        <Table
          caption="Usage by month"
          columns={MONTH_COLUMNS}
          rows={data}
          rowKey={({ month, identity_id }) => `${month} ${identity_id}`}
          empty="No account used anything in these months."
        />
      )}
    </Query>
  );
}

function CsvButton({ from, to }: Required<MonthRange>) {
  const csv = queryString({ from, to, response_format: 'csv' });
  return (
    <ButtonAnchor icon={Download} href={apiUrl(`/usage-by-month${csv}`)} download>
      Download CSV
    </ButtonAnchor>
  );
}

export default function MonthlyUsageScreen() {
  const [search, setSearch] = useKnownSearch(readMonthRange);
  const [nowMs] = useState(Date.now);
  const months = shownMonths(search, nowMs);
  const problem = rangeProblem(months);
  const field = (name: 'from' | 'to') => ({
    ...{ name, value: months[name] },
    onValueChange: (month: string) => setSearch({ ...months, [name]: month }),
  });
  return (
    <Page
      title="Usage by month"
      description="What each account used each month (UTC), for invoices. Symbols counts the different identifiers in answered requests."
      actions={!problem && <CsvButton {...months} />}
    >
      <Toolbar label="Choose the months" isEven>
        <MonthField label="First month" {...field('from')} error={problem} />
        <MonthField label="Last month" {...field('to')} error="" />
      </Toolbar>
      {!problem && <UsageTable {...months} />}
    </Page>
  );
}
