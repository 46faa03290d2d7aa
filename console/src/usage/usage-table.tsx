import type { Usage, UsageOfDay, UsedAmounts } from '@ticklake/client';
import { useState } from 'react';
import { QUANTITIES, QUANTITY_NAMES } from '../format/quantities';
import { sumBy } from '../overview/usage-summary';
import { ChoiceGroup } from '../ui/choice-group';
import { Table, type TableColumn } from '../ui/table';
import type { UsageNames } from './usage-csv';

const GROUPS = [
  { value: 'day', label: 'By day' },
  { value: 'dataset', label: 'By dataset' },
  { value: 'key', label: 'By key' },
] as const;
type Group = (typeof GROUPS)[number]['value'];

const HEADERS: Readonly<Record<Group, string>> = {
  day: 'Day (UTC)',
  dataset: 'Dataset',
  key: 'Key',
};

interface Row extends UsedAmounts {
  readonly name: string;
}

function nameOf(group: Group, row: UsageOfDay, { datasetOf, keyOf }: UsageNames): string {
  if (group === 'day') return row.day;
  if (group === 'key') return row.key_id === null ? 'The console' : keyOf(row.key_id);
  return row.dataset_id === null ? 'No dataset' : datasetOf(row.dataset_id);
}

function rowsOf(group: Group, rows: readonly UsageOfDay[], names: UsageNames): readonly Row[] {
  const sums = [...sumBy(rows, (row) => nameOf(group, row, names))];
  const named = sums.map(([name, amounts]) => ({ name, ...amounts }));
  if (group === 'day') return named.toSorted((a, b) => b.name.localeCompare(a.name));
  return named.toSorted((a, b) => b.requests - a.requests);
}

function columnsOf(group: Group): readonly TableColumn<Row>[] {
  return [
    { header: HEADERS[group], isRowHeader: true, isWrapped: true, cell: ({ name }) => name },
    ...QUANTITY_NAMES.map((quantity) => ({
      header: QUANTITIES[quantity].label,
      isNumeric: true,
      cell: (row: Row) => QUANTITIES[quantity].text(row[quantity]),
    })),
  ];
}

/** Usage of a period, summed up in one of three ways. */
export function UsageTable({ usage, names }: { usage: Usage; names: UsageNames }) {
  const [group, setGroup] = useState<Group>('day');
  return (
    <>
      <div>
        <ChoiceGroup label="Group by" value={group} choices={GROUPS} onValueChange={setGroup} />
      </div>
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
