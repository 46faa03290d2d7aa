import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { UsageOfMonth } from '@ticklake/client';
import { Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import { apiUrl, queryString } from '../api/client';
import { bytesText, countText } from '../format/texts';
import { TextField } from '../ui/field';
import { DownloadLinkButton } from '../ui/link-button';
import { Loaded } from '../ui/loading';
import { Page } from '../ui/page';
import { Table, type TableColumn } from '../ui/table';
import { Toolbar } from '../ui/toolbar';
import { usageByMonthQuery } from './queries';
import { type MonthRange, monthProblem, monthText, rangeProblem, shownMonths } from './searches';

interface MonthFieldProps {
  label: string;
  name: string;
  value: string;
  onValueChange: (value: string) => void;
  error: string;
}

/** A month that is typed as the service tells months, in every browser. */
export function MonthField({ value, onValueChange, error, ...field }: MonthFieldProps) {
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

const COLUMNS: readonly TableColumn<UsageOfMonth>[] = [
  { header: 'Month', cell: (row) => row.month },
  {
    header: 'Account',
    isRowHeader: true,
    isWrapped: true,
    cell: ({ identity_id, name }) => (
      <Link
        to="/identities/$identityId"
        params={{ identityId: String(identity_id) }}
        search={{ tab: 'usage' }}
      >
        {name || `Account ${identity_id}`}
      </Link>
    ),
  },
  { header: 'Requests', cell: (row) => countText(row.requests), isNumeric: true },
  { header: 'Rows', cell: (row) => countText(row.row_count), isNumeric: true },
  { header: 'Symbols', cell: (row) => countText(row.symbol_count), isNumeric: true },
  { header: 'Scanned', cell: (row) => bytesText(row.data_scanned), isNumeric: true },
  { header: 'Returned', cell: (row) => bytesText(row.data_returned), isNumeric: true },
];

function UsageTable({ from, to }: Required<MonthRange>) {
  const usage = useQuery(usageByMonthQuery(from, to));
  return (
    <Loaded query={usage} what="usage">
      {({ data }) => (
        <Table
          caption="Usage by month"
          columns={COLUMNS}
          rows={data}
          rowKey={({ month, identity_id }) => `${month} ${identity_id}`}
          empty="No account used anything in these months."
        />
      )}
    </Loaded>
  );
}

function CsvButton({ from, to }: Required<MonthRange>) {
  const csv = queryString({ from, to, response_format: 'csv' });
  return (
    <DownloadLinkButton href={apiUrl(`/usage-by-month${csv}`)}>
      <Download size={16} aria-hidden />
      Download CSV
    </DownloadLinkButton>
  );
}

export function MonthlyUsageScreen() {
  const search = useSearch({ from: '/signed-in/administration/usage-by-month' });
  const navigate = useNavigate({ from: '/usage-by-month' });
  const [nowMs] = useState(Date.now);
  const months = shownMonths(search, nowMs);
  const problem = rangeProblem(months);
  const show = (name: 'from' | 'to') => (month: string) =>
    void navigate({ search: { ...months, [name]: month }, replace: true, resetScroll: false });
  return (
    <Page
      title="Usage by month"
      description="What each account used each month (UTC), for invoices. Symbols counts the different identifiers in answered requests."
      actions={!problem && <CsvButton {...months} />}
    >
      <Toolbar label="Choose the months" isEven>
        <MonthField
          label="First month"
          name="from"
          value={months.from}
          onValueChange={show('from')}
          error={problem}
        />
        <MonthField
          label="Last month"
          name="to"
          value={months.to}
          onValueChange={show('to')}
          error=""
        />
      </Toolbar>
      {!problem && <UsageTable {...months} />}
    </Page>
  );
}
