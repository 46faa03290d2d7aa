import { useQuery } from '@tanstack/react-query';
import type { PublicDataset } from '@ticklake/client';
import { useState } from 'react';
import { foundColumns, groupsOf, isFound } from '../catalogue/found-datasets';
import { countText, foundText } from '../format/amounts';
import { firstDateOf } from '../format/coverage';
import { Button } from '../ui/button';
import { SearchField } from '../ui/field';
import { Loaded } from '../ui/loading';
import { SelectField } from '../ui/select-field';
import { Toolbar } from '../ui/toolbar';
import styles from './public-catalogue.module.css';
import { PublicDatasetItem } from './public-dataset-item';
import { publicCatalogueQuery } from './public-queries';

const ALL = 'all';

/** The offer in figures. */
function Figures({ datasets }: { datasets: readonly PublicDataset[] }) {
  const first = firstDateOf(datasets);
  const rowCount = datasets.reduce((sum, dataset) => sum + dataset.row_count, 0);
  const figures = [
    { name: 'Datasets', value: countText(datasets.length) },
    { name: 'Groups', value: countText(groupsOf(datasets).length) },
    { name: 'Rows', value: countText(rowCount) },
    ...(first ? [{ name: 'Since', value: first }] : []),
  ];
  return (
    <dl className={styles.figures}>
      {figures.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Datasets({ datasets }: { datasets: readonly PublicDataset[] }) {
  const [text, setText] = useState('');
  const [group, setGroup] = useState(ALL);
  const groups = groupsOf(datasets);
  const found = datasets.filter(
    (dataset) => (group === ALL || dataset.data_group === group) && isFound(dataset, text),
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
        <SelectField
          label="Group"
          name="group"
          value={group}
          options={[
            { value: ALL, label: 'All groups' },
            ...groups.map((name) => ({ value: name, label: name })),
          ]}
          onValueChange={setGroup}
        />
      </Toolbar>
      <p role="status" className={styles.count}>
        {foundText(found.length, datasets.length, 'dataset')}
      </p>
      {found.length === 0 && (
        <div>
          <Button
            onClick={() => {
              setText('');
              setGroup(ALL);
            }}
          >
            Show all datasets
          </Button>
        </div>
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

/** Every dataset with its coverage, its size and its columns; sample rows where the owner shows them. */
export function PublicCatalogue() {
  const catalogue = useQuery(publicCatalogueQuery);
  return (
    <section className={styles.catalogue} aria-labelledby="datasets">
      <h2 id="datasets">Datasets</h2>
      <Loaded query={catalogue} what="the datasets">
        {(datasets) => <Datasets datasets={datasets} />}
      </Loaded>
    </section>
  );
}
