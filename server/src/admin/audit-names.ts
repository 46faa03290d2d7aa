/** What accounts, plans, keys and people are called whom entries of the audit log are about. */
import type { Catalog } from '../catalog/dataset.ts';
import type { AuditEntry } from '../store/audit-log.ts';
import type { StoreReader } from '../store/control-store.ts';
import type { AuditNames } from './audit-words.ts';

type Reader = Pick<StoreReader, 'identities' | 'offers' | 'people' | 'keys' | 'audit'>;
type Kind = 'identity' | 'plan' | 'person' | 'key';

/** Of a list of accounts, no more than these are named. */
const LISTED_MAX = 3;

const REFERENCE = /(identity|plan|person|key):(\d+)/g;

/** Every reference in a text: `identity:3/key:5` has two. */
function referencesOf(text: string): string[] {
  return [...text.matchAll(REFERENCE)].map(([reference]) => reference);
}

function referencesIn(state: object | null): string[] {
  const { identity_id, plan_id, plan_ids } = (state ?? {}) as Record<string, unknown>;
  const given = Object.keys((plan_ids as object | undefined) ?? {}).slice(0, LISTED_MAX);
  const ids: [Kind, unknown][] = [
    ['identity', identity_id],
    ['plan', plan_id],
    ...given.map((id): [Kind, unknown] => ['identity', id]),
  ];
  return ids.flatMap(([kind, id]) => (id === null || id === undefined ? [] : `${kind}:${id}`));
}

async function deletedEmail({ audit }: Reader, personId: number): Promise<string | null> {
  const filter = { target: `person:${personId}`, operation: 'deletePerson' };
  const [entry] = await audit.list(filter, 'newest first', 0, 1);
  return (entry?.before as { email?: string } | null | undefined)?.email ?? null;
}

const FINDERS: Readonly<Record<Kind, (store: Reader, id: number) => Promise<string | null>>> = {
  identity: async ({ identities }, id) => (await identities.find(id))?.name ?? null,
  plan: async ({ offers }, id) => (await offers.find(id))?.name ?? null,
  person: async (store, id) =>
    (await store.people.find(id))?.email ?? (await deletedEmail(store, id)),
  key: async ({ keys }, id) => (await keys.find(id))?.name ?? null,
};

/** Looks each one up once. */
export async function auditNames(
  store: Reader,
  catalog: Catalog,
  entries: readonly AuditEntry[],
): Promise<AuditNames> {
  const references = new Set(
    entries.flatMap(({ actor, target, before, after }) => [
      ...referencesOf(`${actor} ${target}`),
      ...referencesIn(after ?? before),
    ]),
  );
  const names = new Map<string, string | null>();
  for (const reference of references) {
    const [kind, id] = reference.split(':') as [Kind, string];
    names.set(reference, await FINDERS[kind](store, Number(id)));
  }
  return {
    account: (id) => names.get(`identity:${id}`) ?? null,
    plan: (id) => names.get(`plan:${id}`) ?? null,
    person: (id) => names.get(`person:${id}`) ?? null,
    key: (id) => names.get(`key:${id}`) ?? null,
    dataset: (id) => catalog.byId(id)?.name ?? null,
  };
}
