import type { QueryForm } from '@ticklake/client';
import { AskForAccess } from '../access/ask-for-access';
import { ruleEndText, ruleStartText } from '../format/coverage';
import { Card } from '../ui/page';
import { Table, type TableColumn } from '../ui/table';
import { UniverseText } from '../ui/universe-text';

type Rule = QueryForm['rules'][number];

const COLUMNS: readonly TableColumn<Rule>[] = [
  { header: 'From', cell: (rule) => ruleStartText(rule.start_date), isRowHeader: true },
  { header: 'To', cell: (rule) => ruleEndText(rule.end_date) },
  {
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
          empty="No rule gives your account access to this dataset."
        />
      ) : (
        <AskForAccess datasetId={shape.dataset_id} />
      )}
    </Card>
  );
}
