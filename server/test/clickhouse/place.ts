/** Makes this process keep accounts in PostgreSQL and parts in a ClickHouse cluster. */
import { useStore } from '../place-of-tests.ts';
import { isPostgresMissing, TestPostgres } from '../postgres/start-postgres.ts';
import { ClickHouseCluster, missingClickHouse } from './cluster.ts';

/** Returns a function that ends both; null if one of them is not installed. */
export async function usePostgresAndClickHouse(): Promise<(() => Promise<void>) | null> {
  if (missingClickHouse() !== null || isPostgresMissing()) return null;
  const cluster = new ClickHouseCluster();
  await cluster.start(2, 2);
  const postgres = await TestPostgres.start();
  Object.assign(process.env, cluster.environment);
  useStore(postgres.url(await postgres.newDatabase()));
  return async () => {
    await cluster.close();
    await postgres.remove();
  };
}
