/** The operations that the audit log tells of. */
import type { Endpoints } from '@ticklake/client';

/** Of the command line alone. */
type Act =
  | 'ingest'
  | 'derive'
  | 'importLean'
  | 'importMirror'
  | 'backup'
  | 'claimLake'
  | 'restore'
  | 'rotateReceiptKey';

export const AUDIT_OPERATIONS: readonly (keyof Endpoints | Act)[] = [
  'createIdentity',
  'updateIdentity',
  'deactivateIdentity',
  'activateIdentity',
  'createApiKey',
  'renameApiKey',
  'activateApiKey',
  'deactivateApiKey',
  'deleteApiKey',
  'addDataAccessRule',
  'addDataAccessRules',
  'copyDataAccessRules',
  'updateDataAccessRule',
  'removeDataAccessRule',
  'grantAccess',
  'declineAccess',
  'setQuotaLimits',
  'createPlan',
  'updatePlan',
  'deletePlan',
  'assignPlan',
  'addPlanRules',
  'copyPlanRules',
  'createPerson',
  'updatePerson',
  'invitePerson',
  'makePersonLink',
  'endPersonSessions',
  'resetSecondFactor',
  'resetPersonPassword',
  'deactivatePerson',
  'activatePerson',
  'deletePerson',
  'rollBackPublication',
  'withdrawRows',
  'pruneVersions',
  'beginPublication',
  'commitPublication',
  'abandonPublication',
  'acknowledgePublication',
  'createMyApiKey',
  'renameMyApiKey',
  'activateMyApiKey',
  'deactivateMyApiKey',
  'deleteMyApiKey',
  'setMyIpSubnets',
  'requestMyAccess',
  'inviteMyPerson',
  'makeMyPersonLink',
  'deactivateMyPerson',
  'activateMyPerson',
  'choosePassword',
  'endMySessions',
  'turnOnSecondFactor',
  'renewRecoveryCodes',
  'turnOffSecondFactor',
  'changePassword',
  'signIn',
  'signOut',
  'ingest',
  'derive',
  'importLean',
  'importMirror',
  'backup',
  'restore',
  'claimLake',
  'rotateReceiptKey',
];

const WORDS: Readonly<Record<string, string>> = {
  identity: 'account',
  my: 'own',
  api: 'API',
  ip: 'IP',
  lean: 'LEAN',
};

/** As people read its name: `Rename API key`. */
export function operationLabel(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(' ');
  const label = words.map((word) => WORDS[word] ?? word).join(' ');
  return label.charAt(0).toUpperCase() + label.slice(1);
}
