import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type {
  CountedRequest,
  CountedRequestPage,
  Usage,
  UsageOfDay,
  UsedAmounts,
} from '@ticklake/client';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { queryString } from '../api/client';
import { answerQuery, catalogueQuery, keysQuery, pagesQuery } from '../api/queries';
import { bytesText, countText, QUANTITIES, QUANTITY_NAMES } from '../format/texts';
import { useKnownSearch, useTableView } from '../layout/known-search';
import { QUANTITY_COLUMNS } from '../overview/month-usage';
import { sumBy } from '../overview/usage-summary';
import { Button } from '../ui/button';
import { ChoiceGroup } from '../ui/choice-group';
import { DateField } from '../ui/date-field';
import { Card, Loaded, MoreButton, Page, Query } from '../ui/page';
import { saveCsv } from '../ui/save-file';
import { figureColumn, nameColumn, Table, type TableColumn } from '../ui/table';
import { Badge, Facts, MomentText, TwoLines } from '../ui/texts';
import { Toolbar } from '../ui/toolbar';
import {
  monthSoFar,
  namedPeriods,
  periodLabel,
  periodProblem,
  readUsagePeriod,
  type UsagePeriod,
} from './usage-period';
import styles from './usage-screen.module.css';
import { statusText, type UsageNames, usageCsv } from './usage-text';

const PAGE_ROWS = 50;

function usageQuery({ from, to }: UsagePeriod) {
  const query = answerQuery<Usage>(`/account/my/usage${queryString({ from, to })}`);
  return { ...query, placeholderData: keepPreviousData };
}

const requestsQuery = (isRefused: boolean) =>
  pagesQuery<CountedRequestPage>(['account', 'requests', isRefused], '/account/my/requests', {
    is_refused: String(isRefused),
    limit: PAGE_ROWS,
  });

interface PeriodFieldsProps {
  period: UsagePeriod;
  onPeriodChange: (period: UsagePeriod) => void;
}

function PeriodFields({ period, onPeriodChange }: PeriodFieldsProps) {
  const [nowMs] = useState(Date.now);
  const named = namedPeriods(nowMs);
  const isChosen = period.from !== undefined || period.to !== undefined;
  const shown: UsagePeriod = isChosen ? period : monthSoFar(nowMs);
  const field = (name: 'from' | 'to') => ({
    ...{ name, value: shown[name] ?? '' },
    onValueChange: (day: string) => {
      const { [name]: _, ...rest } = shown;
      onPeriodChange(day === '' ? rest : { ...rest, [name]: day });
    },
  });
  return (
    <>
      <ChoiceGroup
        label="Usual periods"
        value={periodLabel(period, named)}
        choices={named.map(({ label }) => ({ value: label, label }))}
        onValueChange={(chosen) =>
          onPeriodChange(named.find(({ label }) => label === chosen)?.period ?? {})
        }
      />
      <Toolbar label="Period" isEven>
        <DateField label="First day (UTC)" {...field('from')} />
        <DateField label="Last day (UTC)" {...field('to')} error={periodProblem(period)} />
      </Toolbar>
    </>
  );
}

const FIRST_REFUSAL = 400;

function Outcome({ status, is_step }: CountedRequest) {
  if (is_step) return <Badge kind="quiet">still sending</Badge>;
  const kind = status < FIRST_REFUSAL ? 'good' : 'danger';
  return <Badge kind={kind}>{statusText(status)}</Badge>;
}

function datasetText(
  { dataset_id: id, dataset_version: version }: CountedRequest,
  datasetOf: UsageNames['datasetOf'],
): string {
  if (id === null) return 'No dataset';
  return version === null ? datasetOf(id) : `${datasetOf(id)}, version ${version}`;
}

function requestColumns({ datasetOf, keyOf }: UsageNames): readonly TableColumn<CountedRequest>[] {
  const nameOfKey = ({ key_id: id }: CountedRequest) => (id === null ? 'Console' : keyOf(id));
  return [
    {
      header: 'Answered',
      by: 'answered_at',
      isRowHeader: true,
      cell: ({ answered_at }) => <MomentText time={answered_at} isShort />,
    },
    { header: 'Outcome', by: 'status', cell: (request) => <Outcome {...request} /> },
    {
      header: 'Request',
      by: ({ path, reason }) => [path, reason].filter(Boolean).join(' · '),
      isWrapped: true,
      cell: (request) => {
        const { path, reason, request_id: id } = request;
        const dataset = datasetText(request, datasetOf);
        const about = [reason, path && dataset].filter(Boolean).map((text) => `${text} · `);
        const first = <span className={styles.request}>{path || dataset}</span>;
        const second = [
          ...about,
          <span key={id} className={styles.id}>
            {id}
          </span>,
        ];
        return <TwoLines first={first} second={second} />;
      },
    },
    {
      header: 'Key',
      by: nameOfKey,
      cell: (request) => <span className={styles.key}>{nameOfKey(request)}</span>,
    },
    figureColumn('Rows', 'row_count'),
    figureColumn('Scanned', 'data_scanned', bytesText),
    figureColumn('Returned', 'data_returned', bytesText),
    figureColumn('Time', 'duration_ms', (ms) => `${countText(ms)} ms`),
  ];
}

const CHOICES = [
  { value: 'all', label: 'All' },
  { value: 'refused', label: 'Refused or failed' },
] as const;

const EMPTY = { all: 'No requests yet.', refused: 'Nothing was refused.' } as const;

function RequestTable({ names }: { names: UsageNames }) {
  const [shown, setShown] = useState<(typeof CHOICES)[number]['value']>('all');
  const requests = useInfiniteQuery(requestsQuery(shown === 'refused'));
  const kept = useTableView();
  return (
    <Card title="Recent requests">
      <Loaded query={requests} what="recent requests">
        {({ pages }) => (
          <>
            <Table
              caption="Recent requests"
              summary={
                <ChoiceGroup
                  label="Requests"
                  value={shown}
                  choices={CHOICES}
                  onValueChange={setShown}
                />
              }
              columns={requestColumns(names)}
              rows={pages.flatMap(({ data }) => data)}
              rowKey={({ ledger_id }) => ledger_id}
              empty={requests.hasNextPage ? 'None among the latest requests.' : EMPTY[shown]}
              isDense
              isPart={requests.hasNextPage}
              kept={kept}
            />
            <MoreButton query={requests}>Show older requests</MoreButton>
          </>
        )}
      </Loaded>
    </Card>
  );
}

const HEADERS = { day: 'Day (UTC)', dataset: 'Dataset', key: 'Key' };
type Group = keyof typeof HEADERS;
const GROUPS = (['day', 'dataset', 'key'] as const).map((value) => ({
  ...{ value, label: `By ${value}` },
}));

interface Row extends UsedAmounts {
  readonly name: string;
}

function nameOf(group: Group, row: UsageOfDay, { datasetOf, keyOf }: UsageNames): string {
  if (group === 'day') return row.day;
  if (group === 'key') return row.key_id === null ? 'Console' : keyOf(row.key_id);
  return row.dataset_id === null ? 'No dataset' : datasetOf(row.dataset_id);
}

function rowsOf(group: Group, rows: readonly UsageOfDay[], names: UsageNames): readonly Row[] {
  const sums = [...sumBy(rows, (row) => nameOf(group, row, names))];
  const named = sums.map(([name, amounts]) => ({ name, ...amounts }));
  if (group === 'day') return named.toSorted((a, b) => b.name.localeCompare(a.name));
  return named.toSorted((a, b) => b.requests - a.requests);
}

function columnsOf(group: Group): readonly TableColumn<Row>[] {
  return [nameColumn(HEADERS[group], ({ name }) => name, 'name'), ...QUANTITY_COLUMNS];
}

function UsageTable({ usage, names }: { usage: Usage; names: UsageNames }) {
  const [group, setGroup] = useState<Group>('day');
  return (
    <>
      <ChoiceGroup label="Group by" value={group} choices={GROUPS} onValueChange={setGroup} />
      <Table
        caption="Usage"
        columns={columnsOf(group)}
        rows={rowsOf(group, usage.data, names)}
        rowKey={({ name }) => name}
        empty="Nothing was used in this period."
      />
    </>
  );
}

/** The names of datasets and keys; their ids, where nobody has the names any more. */
function useUsageNames(): UsageNames {
  const catalogue = useQuery(catalogueQuery);
  const keys = useQuery(keysQuery);
  return {
    datasetOf: (id) =>
      catalogue.data?.find(({ dataset_id }) => dataset_id === id)?.dataset_name ?? id,
    keyOf: (id) => keys.data?.find(({ key_id }) => key_id === id)?.name ?? `Key ${id} (deleted)`,
  };
}

function PeriodUsage({ usage, names }: { usage: Usage; names: UsageNames }) {
  const save = () => saveCsv(usageCsv(usage, names), `usage_${usage.from}_${usage.to}.csv`);
  return (
    <Card
      title={`${usage.from} to ${usage.to}`}
      actions={
        <Button icon={Download} onClick={save}>
          Download CSV
        </Button>
      }
    >
      <Facts
        facts={QUANTITY_NAMES.map((quantity) => ({
          name: QUANTITIES[quantity].label,
          value: QUANTITIES[quantity].text(usage.total[quantity]),
        }))}
      />
      <UsageTable usage={usage} names={names} />
    </Card>
  );
}

export default function UsageScreen() {
  const [period, setPeriod] = useKnownSearch(readUsagePeriod);
  const isUsable = periodProblem(period) === '';
  const names = useUsageNames();
  return (
    <Page
      title="Usage"
      description="What this account used, by day, dataset and key, and what each request cost. Days are in UTC."
    >
      <PeriodFields period={period} onPeriodChange={setPeriod} />
      {isUsable && (
        <Query of={usageQuery(period)} what="usage">
          {(data) => <PeriodUsage usage={data} names={names} />}
        </Query>
      )}
      <RequestTable names={names} />
    </Page>
  );
}
