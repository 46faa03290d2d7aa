import type { QueryForm } from '@ticklake/client';
import { Notice } from '../ui/notice';
import { Card } from '../ui/page';
import { Table, type TableColumn } from '../ui/table';
import { UniverseText } from '../ui/universe-text';

type Rule = QueryForm['rules'][number];

const COLUMNS: readonly TableColumn<Rule>[] = [
  { key: 'from', header: 'From', cell: (rule) => rule.start_date, isRowHeader: true },
  { key: 'to', header: 'To', cell: (rule) => rule.end_date ?? 'No end date' },
  {
    key: 'universe',
    header: 'Identifiers',
    cell: (rule) => <UniverseText identifiers={rule.universe_identifiers} />,
    isWrapped: true,
  },
];

/** The rules that let the account read a dataset. */
export function DatasetAccess({ shape }: { shape: QueryForm }) {
  return (
    <Card title="Your access">
      {shape.is_entitled ? (
        <Table
          caption="Rules that give access"
          columns={COLUMNS}
          rows={shape.rules}
          rowKey={(rule) => rule.start_date}
          empty="No rule"
        />
      ) : (
        <Notice kind="info" title="No access to this dataset">
          No rule gives your account access to this dataset. Ask whoever runs this service to add
          one.
        </Notice>
      )}
    </Card>
  );
}
