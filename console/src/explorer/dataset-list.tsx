import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { DatasetRow } from '@ticklake/client';
import { ownCatalogueQuery } from '../api/queries';
import styles from './dataset-list.module.css';

function byGroup(datasets: readonly DatasetRow[]): [string, DatasetRow[]][] {
  return [...Map.groupBy(datasets, ({ data_group }) => data_group)];
}

/** Every dataset that the account can read, by group: somewhere to begin. */
export function DatasetList() {
  const { data: datasets = [] } = useQuery(ownCatalogueQuery);
  return (
    <div className={styles.groups}>
      {byGroup(datasets).map(([group, rows]) => (
        <section key={group} className={styles.group}>
          <h2>{group}</h2>
          <ul className={styles.list}>
            {rows.map(({ dataset_id: id, dataset_name: name }) => (
              <li key={id}>
                <Link to="/explorer" search={{ dataset: id }} className={styles.link}>
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
