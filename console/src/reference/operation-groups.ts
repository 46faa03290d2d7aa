/** Operations by what they are about, told by the beginnings of their paths. */
import type { Operation } from './openapi';

const GROUPS: readonly { readonly title: string; readonly paths: readonly string[] }[] = [
  { title: 'Rows', paths: ['/data/'] },
  { title: 'Whole results and estimates', paths: ['/bulk/', '/files/', '/data-scan/'] },
  { title: 'Catalogue and versions', paths: ['/meta/', '/publications', '/public/'] },
  { title: 'Symbols', paths: ['/symbology/'] },
  { title: 'Your account', paths: ['/account/', '/session'] },
  { title: 'Service', paths: ['/status', '/receipts/', '/openapi.json'] },
  { title: 'Delta Sharing', paths: ['/delta-sharing/'] },
  { title: 'Loading', paths: ['/ingest/'] },
];

/** For paths that no group has. */
const ADMINISTRATION = 'Administration';

export interface OperationGroup {
  readonly title: string;
  readonly operations: readonly Operation[];
}

function titleOf({ path }: Operation): string {
  const group = GROUPS.find(({ paths }) => paths.some((start) => path.startsWith(start)));
  return group?.title ?? ADMINISTRATION;
}

/** Groups that have operations, in the order of this table, administration last. */
export function groupedOperations(operations: readonly Operation[]): readonly OperationGroup[] {
  const byTitle = Map.groupBy(operations, titleOf);
  return [...GROUPS.map(({ title }) => title), ADMINISTRATION].flatMap((title) => {
    const ofTitle = byTitle.get(title);
    return ofTitle ? [{ title, operations: ofTitle }] : [];
  });
}
