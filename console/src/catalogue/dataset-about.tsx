import type { DatasetInfo, DatasetStatus, QueryForm } from '@ticklake/client';
import { AskForAccess } from '../access/ask-for-access';
import { SCOPE_COLUMNS } from '../access/scope-columns';
import { datasetStatusQuery } from '../api/queries';
import { countText, isScheduled, marketClockText, sentenceCase } from '../format/texts';
import { DatasetLink } from '../ui/links';
import { Card, Query } from '../ui/page';
import { datasetColumn, Table, type TableColumn } from '../ui/table';
import { Facts, MomentText } from '../ui/texts';
import { parametersText } from './dataset-text';
import { AccessBadge, StatusBadge } from './status-badge';

const UNKNOWN = '–';

/** Years, months, weeks, days as the service writes them: `5Y`. */
const PERIOD_UNITS: Readonly<Record<string, string>> = {
  Y: 'years',
  M: 'months',
  W: 'weeks',
  D: 'days',
};

function periodText(period: string): string {
  const unit = PERIOD_UNITS[period.slice(-1)];
  return unit ? `The last ${period.slice(0, -1)} ${unit}` : period;
}

export function DatasetAbout({ info, shape }: { info: DatasetInfo; shape: QueryForm }) {
  return (
    <Card title="About">
      <p>{info.description}</p>
      <Facts
        facts={[
          { name: 'ID', value: <code>{info.dataset_id}</code> },
          { name: 'Text ID', value: <code>{info.dataset_text_id}</code> },
          { name: 'Group', value: info.data_group },
          { name: 'Class and format', value: `${info.dataset_class}, ${info.dataset_format}` },
          { name: 'Vendor', value: info.vendor || UNKNOWN },
          { name: 'Data from', value: info.start_date },
          { name: 'Data until', value: info.end_date ?? 'Still updated' },
          { name: 'Granularity', value: info.time_granularity },
          { name: 'Identified by', value: sentenceCase(info.universe_identifier || 'none') },
          { name: 'Time zone', value: marketClockText(shape.time_zone) },
          { name: 'Kind', value: info.is_time_series ? 'Time series' : 'Events or lists' },
          { name: 'In the catalogue since', value: info.creation_date },
          ...(shape.default_period
            ? [{ name: 'Default date range', value: periodText(shape.default_period) }]
            : []),
        ]}
      />
    </Card>
  );
}

const REFRESH_MS = 30_000;

function StatusFacts({ status }: { status: DatasetStatus }) {
  return (
    <Facts
      facts={[
        { name: 'Status', value: <StatusBadge code={status.status_code} /> },
        { name: 'Last update', value: <MomentText time={status.last_update} isShort /> },
        { name: 'Next update', value: <MomentText time={status.next_expected_update} isShort /> },
        {
          name: isScheduled(status.last_trade_date, Date.now())
            ? 'Scheduled to'
            : 'Last trade date',
          value: status.last_trade_date ?? '–',
        },
        { name: 'Version', value: countText(status.version) },
        { name: 'Rows', value: status.row_count === null ? '–' : countText(status.row_count) },
      ]}
    />
  );
}

/** Only those who may read the dataset are told. */
export function DatasetStatusCard(props: { datasetId: string; isEntitled: boolean }) {
  const query = { ...datasetStatusQuery(props.datasetId), refetchInterval: REFRESH_MS };
  return (
    <Card title="Status">
      {props.isEntitled ? (
        <Query of={query} what="the status">
          {(status) => <StatusFacts status={status} />}
        </Query>
      ) : (
        <p>Only shown to accounts that can read this dataset.</p>
      )}
    </Card>
  );
}

export function DatasetAccess({ shape }: { shape: QueryForm }) {
  return (
    <Card title="Your access">
      {shape.is_entitled ? (
        <Table
          caption="Rules that give access"
          columns={SCOPE_COLUMNS}
          rows={shape.rules}
          rowKey={(rule) => rule.start_date}
          empty="No rule gives your account access to this dataset."
        />
      ) : (
        <AskForAccess datasetId={shape.dataset_id} />
      )}
    </Card>
  );
}

type Variant = QueryForm['variants'][number];

function Name({ variant, isShown }: { variant: Variant; isShown: boolean }) {
  const { dataset_id: datasetId, dataset_name: name } = variant;
  if (isShown) return `${name} (this one)`;
  return <DatasetLink id={datasetId}>{name}</DatasetLink>;
}

function columnsOf(datasetId: string): readonly TableColumn<Variant>[] {
  return [
    datasetColumn((variant) => (
      <Name variant={variant} isShown={variant.dataset_id === datasetId} />
    )),
    {
      header: 'Parameters',
      cell: (variant) => <code>{parametersText(variant.parameters) || 'None'}</code>,
    },
    {
      header: 'Access',
      cell: (variant) => <AccessBadge isEntitled={variant.is_entitled} />,
    },
  ];
}

/** The datasets that are asked for under the same path, told apart by parameters. */
export function DatasetVariants({ shape }: { shape: QueryForm }) {
  return (
    <Card title="Variants">
      <Table
        caption="Variants"
        columns={columnsOf(shape.dataset_id)}
        rows={shape.variants}
        rowKey={(variant) => variant.dataset_id}
      />
    </Card>
  );
}
