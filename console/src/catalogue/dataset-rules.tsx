import { useQuery } from '@tanstack/react-query';
import type { DatasetRules as Rules } from '@ticklake/client';
import { catalogueQuery, datasetRulesQuery } from '../api/queries';
import { Disclosure } from '../ui/disclosure';
import { DatasetLink } from '../ui/links';
import { Card, Query } from '../ui/page';
import { Table, type TableColumn } from '../ui/table';
import { Facts } from '../ui/texts';
import { adjustedGroups, CONDITION_TEXTS, intervalText } from './dataset-text';

type Derivation = NonNullable<Rules['derived_from']>;
type IntervalColumn = Rules['interval_columns'][number];
type TradeCondition = Rules['trade_conditions'][number];
type QuoteCondition = Rules['quote_conditions'][number];

function Computed({ derivation }: { derivation: Derivation | null }) {
  const { data: catalogue = [] } = useQuery(catalogueQuery);
  if (derivation === null) {
    return <p>Rows are published as they are loaded; nothing here is computed.</p>;
  }
  const {
    meaning,
    inputs,
    parameters,
    rule_version: version,
    aggregation_logic: logic,
  } = derivation;
  return (
    <>
      <p>Computed: {meaning}.</p>
      <Facts
        facts={[
          ...inputs.map(({ role, dataset_id: id, dataset_text_id: textId }) => ({
            name: `Computed from: ${role}`,
            value: (
              <DatasetLink id={id}>
                {catalogue.find(({ dataset_id }) => dataset_id === id)?.dataset_name ?? textId}
              </DatasetLink>
            ),
          })),
          { name: 'Methodology version', value: String(version) },
          ...(logic === null ? [] : [{ name: 'Aggregation logic', value: logic }]),
          ...parameters.map(({ name, value }) => ({ name, value: String(value) })),
        ]}
      />
    </>
  );
}

const INTERVAL_COLUMNS: readonly TableColumn<IntervalColumn>[] = [
  { header: 'Column', isRowHeader: true, cell: ({ name }) => <code>{name}</code> },
  { header: 'A longer bar has', isWrapped: true, cell: intervalText },
];

const TRADE_COLUMNS: readonly TableColumn<TradeCondition>[] = [
  { header: 'Condition', isRowHeader: true, cell: ({ name }) => name },
  {
    header: 'Counts toward (vendor’s rules)',
    isWrapped: true,
    cell: ({ vendor }) => CONDITION_TEXTS[vendor],
  },
  {
    header: 'Counts toward (industry standard)',
    isWrapped: true,
    cell: ({ industry_std: standard }) => CONDITION_TEXTS[standard],
  },
];

const QUOTE_COLUMNS: readonly TableColumn<QuoteCondition>[] = [
  { header: 'Condition', isRowHeader: true, cell: ({ name }) => name },
  { header: 'Counts', cell: (row) => (row.is_counted ? 'Yes' : 'No') },
];

interface ConditionsProps<T> {
  kind: 'Trade' | 'Quote';
  rows: readonly T[];
  columns: readonly TableColumn<T>[];
}

function Conditions<T extends { readonly bit: number }>(props: ConditionsProps<T>) {
  const { kind, rows, columns } = props;
  if (rows.length === 0) return null;
  return (
    <Disclosure label={`${kind} conditions (${rows.length})`}>
      <Table
        caption={`What ${kind.toLowerCase()} conditions do`}
        {...{ columns, rows }}
        rowKey={({ bit }) => bit}
        isDense
      />
    </Disclosure>
  );
}

function RuleCards({ rules }: { rules: Rules }) {
  const { adjusted_columns: adjusted, interval_columns: intervals } = rules;
  return (
    <>
      <Card title="How rows are made">
        <Computed derivation={rules.derived_from} />
        <Conditions kind="Trade" rows={rules.trade_conditions} columns={TRADE_COLUMNS} />
        <Conditions kind="Quote" rows={rules.quote_conditions} columns={QUOTE_COLUMNS} />
        <p>
          Worked examples: <a href="/docs/rules">why a row is what it is</a>.
        </p>
      </Card>
      {adjusted.length > 0 && (
        <Card title="Adjustment">
          <ul>
            {adjustedGroups(adjusted).map(({ text, names }) => (
              <li key={text}>
                {text}: <code>{names.join(', ')}</code>
              </li>
            ))}
          </ul>
        </Card>
      )}
      {intervals.length > 0 && (
        <Card title="Longer bars">
          <p>
            With <code>interval</code>, longer bars are made from these, column by column.
          </p>
          <Table
            caption="Columns of longer bars"
            columns={INTERVAL_COLUMNS}
            rows={intervals}
            rowKey={({ name }) => name}
            isDense
          />
        </Card>
      )}
    </>
  );
}

export function DatasetRules({ datasetId }: { datasetId: string }) {
  return (
    <Query of={datasetRulesQuery(datasetId)} what="the methodology">
      {(loaded) => <RuleCards rules={loaded} />}
    </Query>
  );
}
