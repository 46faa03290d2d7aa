import { Link } from '@tanstack/react-router';
import type { QueryForm } from '@ticklake/client';
import { Badge } from '../ui/badge';
import { Card } from '../ui/page';
import { Table, type TableColumn } from '../ui/table';
import { TwoLines } from '../ui/two-lines';
import { parametersText } from './request-paths';

type Variant = QueryForm['variants'][number];

function Name({ variant, isShown }: { variant: Variant; isShown: boolean }) {
  const { dataset_id: datasetId, dataset_name: name } = variant;
  if (isShown) return `${name} (this one)`;
  return (
    <Link to="/catalogue/$datasetId" params={{ datasetId }}>
      {name}
    </Link>
  );
}

function columnsOf(datasetId: string): readonly TableColumn<Variant>[] {
  return [
    {
      header: 'Dataset',
      isRowHeader: true,
      isWrapped: true,
      cell: (variant) => (
        <TwoLines
          first={<Name variant={variant} isShown={variant.dataset_id === datasetId} />}
          second={variant.dataset_id}
        />
      ),
    },
    {
      header: 'Parameters',
      cell: (variant) => <code>{parametersText(variant.parameters) || 'None'}</code>,
    },
    {
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
export function DatasetVariants({ shape }: { shape: QueryForm }) {
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
