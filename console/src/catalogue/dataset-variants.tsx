import { Link } from '@tanstack/react-router';
import type { QueryShape } from '../api/records';
import { Badge } from '../ui/badge';
import { Card } from '../ui/page';
import { Table, type TableColumn } from '../ui/table';
import { parametersText } from './request-paths';

type Variant = QueryShape['variants'][number];

function columnsOf(datasetId: string): readonly TableColumn<Variant>[] {
  return [
    {
      key: 'name',
      header: 'Dataset',
      isRowHeader: true,
      cell: (variant) =>
        variant.dataset_id === datasetId ? (
          `${variant.dataset_name} (this one)`
        ) : (
          <Link to="/catalogue/$datasetId" params={{ datasetId: variant.dataset_id }}>
            {variant.dataset_name}
          </Link>
        ),
    },
    { key: 'id', header: 'Id', cell: (variant) => <code>{variant.dataset_id}</code> },
    {
      key: 'parameters',
      header: 'Asked for with',
      cell: (variant) => <code>{parametersText(variant.parameters) || 'no parameter'}</code>,
    },
    {
      key: 'access',
      header: 'Access',
      cell: (variant) =>
        variant.is_entitled ? (
          <Badge kind="good">Entitled</Badge>
        ) : (
          <Badge kind="quiet">No access</Badge>
        ),
    },
  ];
}

/** The datasets that are asked for under the same path, told apart by parameters. */
export function DatasetVariants({ shape }: { shape: QueryShape }) {
  return (
    <Card title="Variants">
      <Table
        caption="Variants"
        columns={columnsOf(shape.dataset_id)}
        rows={shape.variants}
        rowKey={(variant) => variant.dataset_id}
        empty="None"
      />
    </Card>
  );
}
