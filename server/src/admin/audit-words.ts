/**
 * Entries of the audit log in words: what was done, as it follows the name of who did it,
 * such as "renamed the key k of Acme to K". Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import { counted, listed } from '../base/printable.ts';
import type { Catalog } from '../catalog/dataset.ts';
import type { AuditEntry } from '../store/audit-log.ts';
import type { StoreReader } from '../store/control-store.ts';

type Reader = Pick<StoreReader, 'accounts' | 'offers' | 'people' | 'keys' | 'audit'>;
type Kind = 'identity' | 'plan' | 'person' | 'key';

/** Accounts that a text names; the others are counted. */
const LISTED_MAX = 3;

/** `identity:3/key:5` has two. */
const REFERENCE = /(identity|plan|person|key):(\d+)/g;

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
  identity: async ({ accounts }, id) => (await accounts.find(id))?.name ?? null,
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
      ...[...`${actor} ${target}`.matchAll(REFERENCE)].map(([reference]) => reference),
      ...referencesIn(after ?? before),
    ]),
  );
  const names = new Map<string, string | null>();
  for (const reference of references) {
    const [kind, id] = reference.split(':') as [Kind, string];
    names.set(reference, await FINDERS[kind](store, Number(id)));
  }
  return (kind, id) =>
    (kind === 'dataset' ? catalog.byId(String(id))?.name : names.get(`${kind}:${id}`)) ?? null;
}

/**
 * Today's name of a subject of entries; null: nobody knows it. Of a person it is the e-mail
 * address, also of one who was deleted.
 */
export type AuditNames = (kind: Kind | 'dataset', id: unknown) => string | null;

type State = Readonly<Record<string, unknown>>;

/** An entry as its words see it. */
interface Told {
  readonly target: string;
  readonly before: State;
  readonly after: State;
  /** The subject, as it is or was. */
  readonly state: State;
  readonly names: AuditNames;
}

type Words = (told: Told) => string;

function idOf(target: string): string {
  return target.slice(target.indexOf(':') + 1);
}

function accountText({ names }: Told, id: unknown): string {
  return names('identity', id) ?? `account ${id}`;
}

function offerText({ names }: Told, id: unknown): string {
  return names('plan', id) ?? `plan ${id}`;
}

function datasetText({ names }: Told, id: string): string {
  return names('dataset', id) ?? `dataset ${id}`;
}

/** `dataset:ID`, `lake` or `home`. */
function targetText(told: Told): string {
  const { target } = told;
  return target.startsWith('dataset:') ? datasetText(told, idOf(target)) : `the ${target}`;
}

const account = ({ state, target }: Told) => `the account ${state.name ?? idOf(target)}`;
const key = (told: Told) =>
  `the key ${told.state.name} of ${accountText(told, told.state.identity_id)}`;
const person = ({ state, target, names }: Told) =>
  String(state.email ?? names('person', idOf(target)) ?? `person ${idOf(target)}`);
const offer = ({ state, target }: Told) => `the plan ${state.name ?? idOf(target)}`;

/** An account or a plan, as who has rules. */
function holder(told: Told): string {
  const { identity_id: accountId, plan_id: offerId } = told.state;
  const isOffer = accountId === null || accountId === undefined;
  return isOffer ? `the plan ${offerText(told, offerId)}` : accountText(told, accountId);
}

function ruleDataset(told: Told): string {
  const { dataset_name: name, dataset_id: id } = told.state;
  return typeof name === 'string' ? name : datasetText(told, String(id));
}

/** A rule's window, `2020-01-01 to 2025-12-31`. */
function windowText({ start_date: start, end_date: end }: State): string {
  return `${start} to ${end ?? 'open'}`;
}

/** Follow from others, or from the time. */
const DERIVED_FIELDS: readonly string[] = ['status', 'contract_ends_at', 'quotas_limit'];
const FIELD_WORDS: Readonly<Record<string, string>> = {
  own_contract_ends_at: 'end of contract',
  own_quotas_limit: 'limits',
  is_admin: 'administration',
  ip_subnets: 'allowed subnets',
  max_active_api_keys: 'limit of active keys',
  plan_id: 'plan',
  identity_id: 'account',
  email: 'e-mail address',
};

/** The fields that an entry changed, in words; '' where none are known. */
function changedFields({ before, after }: Told): string {
  const fields = Object.keys(after).filter(
    (field) => !DERIVED_FIELDS.includes(field) && !isDeepStrictEqual(before[field], after[field]),
  );
  return listed(fields.map((field) => FIELD_WORDS[field] ?? field.replaceAll('_', ' ')));
}

function changedOf(what: Words): Words {
  return (told) => {
    const fields = changedFields(told);
    if (fields === 'name')
      return `renamed ${what({ ...told, state: told.before })} to ${told.after.name}`;
    return fields === '' ? `changed ${what(told)}` : `changed ${fields} of ${what(told)}`;
  };
}

const acting =
  (verb: string, what: Words): Words =>
  (told) =>
    `${verb} ${what(told)}`;

const renamedKey: Words = (told) =>
  `renamed ${key({ ...told, state: told.before })} to ${told.after.name}`;

/** The name of a target account or plan that the entry does not name. */
function namedTarget(told: Told): string {
  const id = idOf(told.target);
  return told.target.startsWith('plan:')
    ? `the plan ${offerText(told, id)}`
    : accountText(told, id);
}

function addedRules(verb: string): Words {
  return (told) => {
    const added = Object.keys((told.after.added_rules as object | undefined) ?? {}).length;
    return `${verb} ${counted(added, 'rule')} to ${namedTarget(told)}`;
  };
}

const asked: Words = (told) =>
  `${ruleDataset(told)} for ${accountText(told, told.state.identity_id)}`;

const invited: Words = (told) => {
  const { identity_id: accountId, role } = told.state;
  const where = accountId === null ? '' : ` of ${accountText(told, accountId)}`;
  return `${person(told)} as ${role}${where}`;
};

const assigned: Words = (told) => {
  const ids = Object.keys((told.after.plan_ids as object | undefined) ?? {});
  const accounts =
    ids.length > 3
      ? counted(ids.length, 'account')
      : listed(ids.map((id) => accountText(told, id)));
  return `gave the plan ${offerText(told, idOf(told.target))} to ${accounts}`;
};

/** How a load ended. */
const LOAD_STATES: Readonly<Record<string, string>> = {
  staged: 'for an open publication',
  unchanged: 'which changed nothing',
  refused: 'which was refused',
  failed: 'which failed',
};

function loaded(verb: string): Words {
  return (told) => {
    const { state, row_count: rows } = told.after;
    const ending = LOAD_STATES[String(state)];
    const count = typeof rows === 'number' ? `, ${counted(rows, 'row')}` : '';
    return `${verb} ${targetText(told)}${ending ? `, ${ending}` : count}`;
  };
}

const rolledBack: Words = (told) => `rolled back ${targetText(told)} to earlier rows`;

const withdrew: Words = (told) => {
  const { removed_row_count: rows, is_dry_run: isDryRun } = told.after;
  const verb = isDryRun ? 'previewed withdrawing' : 'withdrew';
  return `${verb} ${counted(Number(rows ?? 0), 'row')} of ${targetText(told)}`;
};

const pruned: Words = (told) =>
  `dropped ${counted(Number(told.after.version_count ?? 0), 'earlier version')} of ${targetText(told)}`;

/** By the name of the operation. */
export const AUDIT_WORDS: Readonly<Record<string, Words>> = {
  createIdentity: acting('created', account),
  updateIdentity: changedOf(account),
  deactivateIdentity: acting('deactivated', account),
  activateIdentity: acting('activated', account),
  createApiKey: acting('created', key),
  renameApiKey: renamedKey,
  activateApiKey: acting('activated', key),
  deactivateApiKey: acting('deactivated', key),
  deleteApiKey: acting('deleted', key),
  addDataAccessRule: (told) => `added a rule for ${ruleDataset(told)} to ${holder(told)}`,
  addDataAccessRules: addedRules('added'),
  copyDataAccessRules: addedRules('copied'),
  updateDataAccessRule: (told) =>
    `changed the rule for ${ruleDataset(told)} of ${holder(told)}, now ${windowText(told.after)}`,
  removeDataAccessRule: (told) => `removed the rule for ${ruleDataset(told)} from ${holder(told)}`,
  grantAccess: (told) => `granted access to ${asked(told)}`,
  declineAccess: (told) => `declined access to ${asked(told)}`,
  sendEnquiry: ({ state }) => `asked for access as ${state.email}`,
  declineEnquiry: ({ state }) => `declined the enquiry of ${state.email}`,
  setQuotaLimits: (told) => `set the limits of ${namedTarget(told)}`,
  createPlan: acting('created', offer),
  updatePlan: changedOf(offer),
  deletePlan: acting('deleted', offer),
  assignPlan: assigned,
  addPlanRules: addedRules('added'),
  copyPlanRules: addedRules('copied'),
  createPerson: acting('added', invited),
  updatePerson: changedOf(person),
  invitePerson: acting('invited', invited),
  makePersonLink: acting('made a link for a new password of', person),
  endPersonSessions: (told) =>
    `ended ${counted(Number(told.after.ended_count ?? 0), 'session')} of ${person(told)}`,
  resetSecondFactor: acting('turned off the second factor of', person),
  resetPersonPassword: acting('reset the password of', person),
  deactivatePerson: acting('deactivated', person),
  activatePerson: acting('activated', person),
  deletePerson: acting('deleted', person),
  rollBackPublication: rolledBack,
  withdrawRows: withdrew,
  pruneVersions: pruned,
  beginPublication: (told) =>
    `opened publication ${told.after.publication_id} for ${targetText(told)}`,
  commitPublication: (told) =>
    `committed publication ${told.after.publication_id} of ${targetText(told)}`,
  abandonPublication: (told) =>
    `abandoned publication ${told.after.publication_id} of ${targetText(told)}`,
  acknowledgePublication: (told) =>
    `acknowledged the refused publication ${told.after.publication_id} of ${targetText(told)}`,
  createMyApiKey: acting('created', key),
  renameMyApiKey: renamedKey,
  activateMyApiKey: acting('activated', key),
  deactivateMyApiKey: acting('deactivated', key),
  deleteMyApiKey: acting('deleted', key),
  setMyIpSubnets: changedOf(account),
  requestMyAccess: (told) => `asked for access to ${asked(told)}`,
  inviteMyPerson: acting('invited', invited),
  makeMyPersonLink: acting('made a link for a new password of', person),
  deactivateMyPerson: acting('deactivated', person),
  activateMyPerson: acting('activated', person),
  signIn: () => 'signed in',
  signOut: () => 'signed out',
  choosePassword: () => 'chose a password by a link',
  changePassword: () => 'changed their password',
  endMySessions: () => 'ended their other sessions',
  turnOnSecondFactor: () => 'turned on their second factor',
  renewRecoveryCodes: () => 'made new recovery codes',
  turnOffSecondFactor: () => 'turned off their second factor',
  ingest: loaded('loaded files into'),
  derive: loaded('derived'),
  night: loaded('loaded a night into'),
  importLean: loaded('imported a LEAN folder into'),
  assignSymbols: loaded('assigned ASIDs in'),
  importMirror: loaded('imported a mirror into'),
  backup: () => 'took a backup',
  restore: () => 'restored the home from a backup',
  claimLake: () => 'claimed the parts of the lake for this store',
  rotateReceiptKey: () => 'made a new key for receipts',
};

const NO_STATE: State = {};

/** An entry in words; for a former operation, its name and target. */
export function auditSummary(entry: AuditEntry, names: AuditNames): string {
  const { operation, target, before, after } = entry;
  const words = Object.hasOwn(AUDIT_WORDS, operation) ? AUDIT_WORDS[operation] : undefined;
  if (!words) return `${operation} ${target}`;
  const [old, now] = [before as State | null, after as State | null];
  return words({
    ...{ target, names },
    before: old ?? NO_STATE,
    after: now ?? NO_STATE,
    state: now ?? old ?? NO_STATE,
  });
}

/** Who acted, as people call them; null where the log's own name is all that is known. */
export function actorName(actor: string, names: AuditNames): string | null {
  const [, kind, id, keyId] = /^(identity|person):(\d+)(?:\/key:(\d+))?$/.exec(actor) ?? [];
  if (kind === undefined) return null;
  const name = names(kind as Kind, id);
  const keyName = keyId === undefined ? null : names('key', keyId);
  return name !== null && keyName !== null ? `${name}, key ${keyName}` : name;
}
