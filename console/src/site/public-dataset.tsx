import type { Column, PublicDataset, RowPage } from '@ticklake/client';
import { useEffect } from 'react';
import type { SiteConfig } from '../api/client';
import { answerQuery } from '../api/queries';
import { countText } from '../format/texts';
import { ButtonAnchor } from '../ui/button';
import { Notice, Query } from '../ui/page';
import { SampleTable } from '../ui/sample-table';
import { Table, type TableColumn } from '../ui/table';
import { Facts } from '../ui/texts';
import { AskButton } from './ask-button';
import { LONG, publicCatalogueQuery } from './public-catalogue';
import styles from './public-catalogue.module.css';

function ofDataset<T>({ dataset_id: id }: PublicDataset, topic: 'columns' | 'sample') {
  return answerQuery<T>(`/public/datasets/${id}/${topic}`, LONG);
}

const COLUMNS: readonly TableColumn<Column>[] = [
  {
    header: 'Column',
    isRowHeader: true,
    cell: ({ name, data_type }) => (
      <>
        <code>{name}</code>
        <span className={styles.type}>{data_type}</span>
      </>
    ),
  },
  { header: 'Description', isWrapped: true, cell: (column) => column.description },
];

function Dataset({ dataset, config }: { dataset: PublicDataset; config: SiteConfig }) {
  const { dataset_id: id, dataset_name: name, first_trade_date: first } = dataset;
  useEffect(() => {
    document.title = `${name} – ${config.name}`;
  }, [name, config]);
  const facts = [
    ...(dataset.price ? [{ name: 'Price', value: dataset.price }] : []),
    { name: 'First trade date', value: first ?? '–' },
    { name: 'Last trade date', value: dataset.last_trade_date ?? '–' },
    { name: 'Rows', value: countText(dataset.row_count) },
    { name: 'Granularity', value: dataset.time_granularity },
    { name: 'Group', value: dataset.data_group },
    { name: 'ID', value: <code>{id}</code> },
  ];
  return (
    <>
      <h1>{name}</h1>
      <p className="text">{dataset.description}</p>
      <p className="actions">
        <AskButton config={config} dataset={dataset} />
        <ButtonAnchor href={`/console/catalogue/${id}`}>Open in the console</ButtonAnchor>
      </p>
      <Facts facts={facts} />
      {dataset.has_sample && (
        <>
          <h2>Sample: first rows of {first ?? 'the dataset'}</h2>
          <Query of={ofDataset<RowPage>(dataset, 'sample')} what="the sample">
            {({ data }) => <SampleTable caption={`Sample of ${name}`} rows={data} />}
          </Query>
        </>
      )}
      <h2>Columns</h2>
      <Query of={ofDataset<readonly Column[]>(dataset, 'columns')} what="the columns">
        {(rows) => (
          <Table
            caption={`Columns of ${name}`}
            columns={COLUMNS}
            rows={rows}
            rowKey={(column) => column.name}
            isDense
          />
        )}
      </Query>
    </>
  );
}

/** A dataset at an address of its own, for people without an account. */
export function PublicDatasetPage({ id, config }: { id: string; config: SiteConfig }) {
  const isNamed = (name: string) => name.toLowerCase() === id.toLowerCase();
  return (
    <div className={styles.dataset}>
      <a href="/">All datasets</a>
      <Query of={publicCatalogueQuery} what="the dataset">
        {(datasets) => {
          const dataset = datasets.find(
            ({ dataset_id, dataset_text_id }) => isNamed(dataset_id) || isNamed(dataset_text_id),
          );
          if (dataset) return <Dataset dataset={dataset} config={config} />;
          return <Notice kind="info">There is no dataset {id}.</Notice>;
        }}
      </Query>
    </div>
  );
}
