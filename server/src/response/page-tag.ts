/** The entity tag of a page: what it is known by to clients that keep it, and to the page cache. */

import { hash } from 'node:crypto';
import { SERVICE_VERSION } from '../base/version.ts';
import type { Column } from '../catalog/dataset.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { Format } from '../formats/format.ts';
import { conditionJson } from '../plan/condition-json.ts';

/** The properties of a column that decide how its values are written. */
function columnKey({ name, dataType, fractionDigits }: Column): unknown[] {
  return [name, dataType, fractionDigits];
}

/**
 * The tag of the page that a plan comes to in a format. Everything that decides its bytes is in it,
 * so an equal tag is an equal page, in this process and in any other. The digests of parts stand for
 * the rows in them, so a new version of the dataset leaves the tags of those pages alone that it does
 * not touch.
 */
export function pageTag(
  plan: QueryPlan,
  { name: format, tagStrength }: Format,
  pathParameters: readonly string[],
): string {
  const { dataset, parts, predicates, grants, columns, sort, offset, limit } = plan;
  const content = [
    SERVICE_VERSION,
    // The last two are in the name that is suggested for a download.
    [format, dataset.timeZone, dataset.textId, pathParameters],
    parts.map(({ digest }) => digest),
    [predicates, grants, sort],
    [columns.map(columnKey), offset, limit],
  ];
  const digest = hash('sha256', JSON.stringify(content, conditionJson), 'base64url');
  return tagStrength === 'weak' ? `W/"${digest}"` : `"${digest}"`;
}
