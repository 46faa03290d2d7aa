/**
 * ClickHouse in a process of its own, because it brings its own threads and signal handlers. Runs
 * each statement that its parent sends and answers with an error text or null.
 */
import { createRequire } from 'node:module';

interface Session {
  query(sql: string, format: string): string;
}
/** The used part of the package, which the benchmarks install. */
interface ChDB {
  readonly Session: new (directory: string) => Session;
}

const [, , directory] = process.argv;
const { Session } = createRequire(import.meta.url)('chdb') as ChDB;
const session = new Session(directory as string);

process.on('message', (sql: string) => {
  try {
    session.query(sql, 'Null');
    process.send?.({ error: null });
  } catch (error) {
    process.send?.({ error: (error as Error).message });
  }
});
process.on('disconnect', () => process.exit(0));
process.send?.({ error: null });
