/** The entity tag of a page: what it is known by to clients that keep it, and to the page cache. */
import { SERVICE_VERSION } from '../base/version.ts';
import type { Column } from '../catalog/dataset.ts';
import { fingerprintOf, pageFingerprint } from '../engine/plan-fingerprint.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { Format } from '../formats/format.ts';

/** The properties of a column that decide how its values are written. */
function columnKey({ name, dataType, fractionDigits }: Column): unknown[] {
  return [name, dataType, fractionDigits];
}

/**
 * The tag of the page that a plan comes to in a format. Everything that decides its bytes is in it,
 * so an equal tag is an equal page, in this process and in any other: the rows by the fingerprint of
 * the plan, which a new version of the dataset leaves alone where it does not touch them, and how they
 * are written by the release, the format and the columns.
 */
export function pageTag(
  plan: QueryPlan,
  { name: format, tagStrength }: Format,
  pathParameters: readonly string[],
): string {
  const { dataset, columns } = plan;
  const digest = fingerprintOf([
    SERVICE_VERSION,
    // The last two are in the name that is suggested for a download.
    [format, dataset.timeZone, dataset.textId, pathParameters],
    columns.map(columnKey),
    pageFingerprint(plan),
  ]);
  return tagStrength === 'weak' ? `W/"${digest}"` : `"${digest}"`;
}
