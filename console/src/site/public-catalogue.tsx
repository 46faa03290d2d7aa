import type { PublicDataset } from '@ticklake/client';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { answerQuery } from '../api/queries';
import { foundColumns, groupsOf, isFound } from '../catalogue/dataset-search';
import {
  bytesText,
  countText,
  coverageText,
  firstDateOf,
  foundText,
  plural,
} from '../format/texts';
import { Button } from '../ui/button';
import { ChoiceGroup, optionsOf } from '../ui/choice-group';
import { Query } from '../ui/page';
import { SearchField } from '../ui/search-field';
import { Badge, Facts } from '../ui/texts';
import { Toolbar } from '../ui/toolbar';
import styles from './public-catalogue.module.css';

export const LONG = { staleTime: 5 * 60_000 };

export const publicCatalogueQuery = answerQuery<readonly PublicDataset[]>('/public/datasets', LONG);

interface PublicDatasetItemProps {
  dataset: PublicDataset;
  /** Found by the search. */
  columns: readonly string[];
}

function PublicDatasetItem({ dataset, columns }: PublicDatasetItemProps) {
  return (
    <li className={styles.item}>
      <a href={`/datasets/${dataset.dataset_id}`} className={styles.row}>
        <ChevronRight size={16} aria-hidden className={styles.chevron} />
        <span className={styles.name}>
          <strong>{dataset.dataset_name}</strong>
          <span className={styles.quiet}>{dataset.description}</span>
          {dataset.price && <span className={styles.quiet}>{dataset.price}</span>}
          {columns.length > 0 && (
            <span className={styles.columns}>Columns: {columns.join(', ')}</span>
          )}
        </span>
        <span className={styles.granularity}>{dataset.time_granularity}</span>
        <span>
          {coverageText(dataset.first_trade_date, dataset.last_trade_date, 'No trade dates')}
        </span>
        <span className={styles.size}>
          {plural(dataset.row_count, 'row')}
          <span className={styles.quiet}>
            {bytesText(dataset.stored_bytes)}, {countText(dataset.column_names.length)} columns
          </span>
        </span>
        <span className={styles.sample}>
          {dataset.has_sample && <Badge kind="good">Sample</Badge>}
        </span>
      </a>
    </li>
  );
}

function Figures({ datasets }: { datasets: readonly PublicDataset[] }) {
  const first = firstDateOf(datasets, Date.now());
  const rowCount = datasets.reduce((sum, dataset) => sum + dataset.row_count, 0);
  const figures = [
    { name: 'Datasets', value: countText(datasets.length) },
    { name: 'Groups', value: countText(groupsOf(datasets).length) },
    { name: 'Rows', value: countText(rowCount) },
    ...(first ? [{ name: 'Since', value: first }] : []),
  ];
  return (
    <div className={styles.figures}>
      <Facts facts={figures} />
    </div>
  );
}

function Datasets({ datasets }: { datasets: readonly PublicDataset[] }) {
  const [text, setText] = useState('');
  const [group, setGroup] = useState('');
  const groups = groupsOf(datasets);
  const found = datasets.filter(
    (dataset) => (group === '' || dataset.data_group === group) && isFound(dataset, text),
  );
  return (
    <>
      <Figures datasets={datasets} />
      <Toolbar label="Filter the datasets">
        <SearchField
          placeholder="Name, description or column"
          value={text}
          onValueChange={setText}
        />
        <ChoiceGroup
          label="Group"
          value={group}
          choices={optionsOf(groups, 'All groups')}
          onValueChange={setGroup}
        />
      </Toolbar>
      <p role="status" className={styles.count}>
        {(text || group) && foundText(found.length, datasets.length, 'dataset')}
      </p>
      {found.length === 0 && (
        <Button
          onClick={() => {
            setText('');
            setGroup('');
          }}
        >
          Show all datasets
        </Button>
      )}
      {groups.map((name) => {
        const ofGroup = found.filter((dataset) => dataset.data_group === name);
        if (ofGroup.length === 0) return null;
        return (
          <section key={name} aria-label={name} className={styles.group}>
            <h3>{name}</h3>
            <ul className={styles.list}>
              {ofGroup.map((dataset) => (
                <PublicDatasetItem
                  key={dataset.dataset_id}
                  dataset={dataset}
                  columns={foundColumns(dataset, text)}
                />
              ))}
            </ul>
          </section>
        );
      })}
    </>
  );
}

export function PublicCatalogue() {
  return (
    <section className={styles.catalogue} aria-labelledby="datasets">
      <h2 id="datasets">Datasets</h2>
      <Query of={publicCatalogueQuery} what="the datasets">
        {(datasets) => <Datasets datasets={datasets} />}
      </Query>
    </section>
  );
}
