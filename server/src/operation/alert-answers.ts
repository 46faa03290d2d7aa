/** Alerts as administrators are told of them. */
import * as v from 'valibot';
import { type Answer, integer, text, time } from '../schema/answer.ts';
import { ALERT_KINDS, ALERT_SEVERITIES, type KnownAlert } from './alerts.ts';

const ALERT = v.strictObject({
  severity: v.picklist(ALERT_SEVERITIES),
  kind: v.picklist(ALERT_KINDS),
  text,
  since: v.nullable(time),
  dataset_id: v.nullable(text),
  identity_id: v.nullable(integer),
});
export const ALERT_LIST = v.array(ALERT);

export function alertViews(alerts: readonly KnownAlert[]): Answer<typeof ALERT_LIST> {
  return alerts.map(({ severity, kind, text, since, datasetId, identityId }) => ({
    ...{ severity, kind, text, since },
    dataset_id: datasetId ?? null,
    identity_id: identityId ?? null,
  }));
}
