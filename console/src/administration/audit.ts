import type { AuditEntry } from '@ticklake/client';
import { sentenceCase } from '../format/texts';

type AuditState = NonNullable<AuditEntry['before']>;

export type Difference = ReturnType<typeof differences>[number];

function isObject(value: unknown): value is AuditState {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value === '' ? '(empty)' : value;
  if (value === null) return 'none';
  if (!Array.isArray(value)) return String(value);
  return value.length === 0 ? '(empty)' : value.map(valueText).join(', ');
}

function leavesOf(state: AuditState, way: readonly string[] = []): [string, string][] {
  return Object.entries(state).flatMap(([name, value]): [string, string][] =>
    isObject(value)
      ? leavesOf(value, [...way, name])
      : [[[...way, name].join('.'), valueText(value)]],
  );
}

const NAMING_FIELDS = ['email', 'name', 'dataset_name', 'dataset_id'];

export function subjectOf({ before, after }: Pick<AuditEntry, 'before' | 'after'>): string {
  const state = after ?? before ?? {};
  const names = NAMING_FIELDS.map((field) => state[field]);
  return names.find((name) => typeof name === 'string') ?? '';
}

/**
 * Only values that differ, by the way to them: `quotas_limit.month.requests`; null where there was
 * none. All values, if something was created or deleted.
 */
export function differences(before: AuditState | null, after: AuditState | null) {
  const old = new Map(leavesOf(before ?? {}));
  const now = new Map(leavesOf(after ?? {}));
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((field) => ({ field, before: old.get(field) ?? null, after: now.get(field) ?? null }))
    .filter((difference) => difference.before !== difference.after);
}

/** Whom a name of the audit log stands for: `identity:3`, `identity:3/key:5`, `person:2`. */
export function auditReference(name: string) {
  const [, kind, id] = /^(identity|person):(\d+)(?:\/|$)/.exec(name) ?? [];
  return kind === 'identity' || kind === 'person' ? { kind, id: Number(id) } : null;
}

/** By subject; the last two lines have the acts of the command line alone. */
const OPERATIONS_BY_SUBJECT = [
  'createIdentity updateIdentity deactivateIdentity activateIdentity setQuotaLimits',
  'createApiKey renameApiKey activateApiKey deactivateApiKey deleteApiKey',
  'addDataAccessRule addDataAccessRules copyDataAccessRules updateDataAccessRule',
  'removeDataAccessRule grantAccess declineAccess sendEnquiry declineEnquiry',
  'createPlan updatePlan deletePlan assignPlan addPlanRules copyPlanRules',
  'createPerson updatePerson invitePerson makePersonLink endPersonSessions resetSecondFactor',
  'resetPersonPassword deactivatePerson activatePerson deletePerson',
  'rollBackPublication withdrawRows pruneVersions beginPublication commitPublication',
  'abandonPublication acknowledgePublication',
  'createMyApiKey renameMyApiKey activateMyApiKey deactivateMyApiKey deleteMyApiKey',
  'setMyIpSubnets requestMyAccess',
  'inviteMyPerson makeMyPersonLink deactivateMyPerson activateMyPerson',
  'choosePassword endMySessions turnOnSecondFactor renewRecoveryCodes turnOffSecondFactor',
  'changePassword signIn signOut',
  'ingest night derive importLean importMirror assignSymbols backup restore claimLake',
  'rotateReceiptKey',
];

export const AUDIT_OPERATIONS = OPERATIONS_BY_SUBJECT.flatMap((line) => line.split(' '));

const WORDS: Readonly<Record<string, string>> = {
  identity: 'account',
  my: 'own',
  api: 'API',
  ip: 'IP',
  id: 'ID',
  lean: 'LEAN',
};

const wordsOf = (text: string) => text.replaceAll(/[a-z]+/g, (word) => WORDS[word] ?? word);

/** As people read the name of an operation or a field: `Rename API key`, `Month: requests`. */
export function nameLabel(name: string): string {
  const spaced = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return sentenceCase(wordsOf(spaced.replaceAll('_', ' ').replaceAll('.', ': ')));
}

/** `account 3, key 5` of `identity:3/key:5`; `root, on the server` of who ran a command there. */
export function referenceText(name: string): string {
  const [, kind, id = ''] = /^([a-z_]+):(.+)$/.exec(name) ?? [];
  if (kind === undefined) return name;
  if (kind === 'local') return `${id}, on the server`;
  return `${wordsOf(kind.replace('_', ' '))} ${id.replace('/key:', ', key ')}`;
}

/** `identity:3` of `account 3`. */
export function referenceOf(text: string): string {
  const [, kind, id] = /^([a-z ]+) (\S+)$/i.exec(text) ?? [];
  if (kind === undefined) return text;
  return `${kind.toLowerCase().replace('account', 'identity').replace(' ', '_')}:${id}`;
}
