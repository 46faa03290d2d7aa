import type { DatasetInfo, QueryForm } from '@ticklake/client';
import { marketClockText } from '../format/times';
import { sentenceCase } from '../format/words';
import { Facts } from '../ui/facts';
import { Card } from '../ui/page';

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

/** Facts about a dataset, with the dates of its data. */
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
          { name: 'Universe', value: sentenceCase(info.universe_identifier || 'none') },
          { name: 'Time zone', value: marketClockText(shape.time_zone) },
          { name: 'Time series', value: info.is_time_series ? 'Yes' : 'No' },
          { name: 'In the catalogue since', value: info.creation_date },
          ...(shape.default_period
            ? [{ name: 'Default date range', value: periodText(shape.default_period) }]
            : []),
        ]}
      />
    </Card>
  );
}
