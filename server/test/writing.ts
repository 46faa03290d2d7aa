/** Writes to a store for tests, each in a transaction of its own. */
import type { ControlStore, StoreTransaction } from '../src/store/control-store.ts';

type Tables = Omit<StoreTransaction, 'findCredential' | 'findSession'>;
type Method = (...values: unknown[]) => Promise<unknown>;

export function writing(store: ControlStore): Tables {
  const tableOf = (table: keyof Tables) =>
    new Proxy({} as Record<string, Method>, {
      get:
        (_, name: string): Method =>
        (...values) =>
          store.transaction((tx) => {
            const records = tx[table] as unknown as Record<string, Method>;
            return (records[name] as Method)(...values);
          }),
    });
  return new Proxy({} as Tables, { get: (_, table) => tableOf(table as keyof Tables) });
}
