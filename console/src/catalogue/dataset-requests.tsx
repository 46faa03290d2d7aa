import type { DataFormat, QueryForm } from '@ticklake/client';
import { apiUrl } from '../api/client';
import { countText } from '../format/texts';
import { CopyButton } from '../ui/copy-button';
import { Card } from '../ui/page';
import { Table, type TableColumn } from '../ui/table';
import { Facts } from '../ui/texts';
import styles from './dataset-requests.module.css';
import { requestPaths } from './dataset-text';

function Paths({ shape }: { shape: QueryForm }) {
  return (
    <ul className={styles.paths} aria-label="Paths">
      {requestPaths(shape).map((path) => (
        <li key={path} className={styles.path}>
          <code>{apiUrl(path)}</code>
          <CopyButton text={apiUrl(path)} />
        </li>
      ))}
    </ul>
  );
}

const FORMAT_LABELS: Readonly<Record<DataFormat, string>> = {
  json: 'JSON',
  csv: 'CSV',
  csv_gzip: 'CSV, gzip',
  arrow: 'Arrow',
  parquet: 'Parquet',
};

const FORMATS = Object.keys(FORMAT_LABELS) as DataFormat[];

function PageRows({ limits }: QueryForm) {
  const columns: readonly TableColumn<DataFormat>[] = [
    { header: 'Format', isRowHeader: true, cell: (each) => FORMAT_LABELS[each] },
    {
      header: 'Rows by default',
      isNumeric: true,
      cell: (each) => countText(limits[each].default),
    },
    {
      header: 'Rows at most',
      isNumeric: true,
      cell: (each) => countText(limits[each].maximum),
    },
  ];
  return (
    <Table
      caption="Rows per page"
      columns={columns}
      rows={FORMATS}
      rowKey={(each) => each}
      isDense
    />
  );
}

function filtersText(groups: QueryForm['required_filters']): string {
  if (groups.length === 0) return 'None';
  return groups.map((names) => names.join(' or ')).join('; and ');
}

function parameterText({ values, default: usual }: QueryForm['parameters'][number]): string {
  const others = values.filter((value) => value !== usual);
  const text = usual === null || usual === '' ? '' : `${usual} (default)`;
  return [text, ...others].filter((part) => part !== '').join(', ') || 'No default';
}

export function DatasetRequests({ shape }: { shape: QueryForm }) {
  return (
    <Card title="API">
      <Paths shape={shape} />
      <Facts
        facts={[
          { name: 'Required filters', value: filtersText(shape.required_filters) },
          { name: 'Row order', value: shape.sort_columns.join(', ') },
          ...shape.parameters.map((parameter) => ({
            name: `Parameter ${parameter.name}`,
            value: parameterText(parameter),
          })),
        ]}
      />
      <PageRows {...shape} />
    </Card>
  );
}
