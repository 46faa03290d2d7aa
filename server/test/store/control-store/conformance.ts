/** Tests that every kind of control store must pass; each kind has one test file that runs them. */
import { testRecords } from './record-tests.ts';
import { testReplica } from './replica-tests.ts';
import { type ControlStoreKind, storesOf } from './store-kind.ts';
import { testTransactions } from './transaction-tests.ts';

/** Snapshots are of stores in files alone: `testSnapshots`. */
export function testControlStore(kind: ControlStoreKind): void {
  const stores = storesOf(kind);
  testRecords(stores);
  testReplica(stores);
  testTransactions(stores);
}
