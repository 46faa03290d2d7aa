import type { DataFormat, QueryForm } from '@ticklake/client';
import { apiUrl } from '../api/client';
import { countText } from '../format/amounts';
import { CopyButton } from '../ui/copy-button';
import { Facts } from '../ui/facts';
import { Card } from '../ui/page';
import styles from './dataset-requests.module.css';
import { requestPaths } from './request-paths';

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
  csv_gzip: 'gzip',
  arrow: 'Arrow',
  parquet: 'Parquet',
};

function limitsText({ limits }: QueryForm): string {
  const formats = Object.keys(FORMAT_LABELS) as DataFormat[];
  const texts = formats.map((format) => {
    const { default: usual, maximum } = limits[format];
    return `${FORMAT_LABELS[format]} ${countText(usual)} (at most ${countText(maximum)})`;
  });
  return texts.join(', ');
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

/** How a dataset is asked for over HTTP. */
export function DatasetRequests({ shape }: { shape: QueryForm }) {
  return (
    <Card title="Requests">
      <Paths shape={shape} />
      <Facts
        facts={[
          { name: 'Required filters', value: filtersText(shape.required_filters) },
          { name: 'Row order', value: shape.sort_columns.join(', ') },
          { name: 'Rows per page', value: limitsText(shape) },
          ...shape.parameters.map((parameter) => ({
            name: `Parameter ${parameter.name}`,
            value: parameterText(parameter),
          })),
        ]}
      />
    </Card>
  );
}
