import { getResponse } from '../api/client';
import { loadPart } from '../api/server-back';
import { type BarPlan, barRequest, symbolsOf } from './bar-request';
import type { ReadBars } from './bar-store';
import type { ChartInterval } from './chart-choices';
import { type DatasetShape, rangeColumn } from './dataset-shape';
import { type ExplorerRequest, requestPath } from './explorer-request';
import { VersionPin } from './pinned-version';

/** Reads the bars of a chart, all of one version. */
export function barReader(
  request: ExplorerRequest,
  plan: BarPlan,
  shape: DatasetShape,
  interval: ChartInterval,
): ReadBars {
  const pin = new VersionPin();
  const symbols = symbolsOf(request, shape);
  const only = symbols.length === 1 ? symbols[0]! : null;
  const source = { plan, date: rangeColumn(shape), only, timeZone: shape.time_zone };
  const limit = shape.limits.arrow.maximum;
  return async (first, last, signal) => {
    // Comes while the first page is on its way.
    const collecting = loadPart(() => import('./arrow-bars'));
    collecting.catch(() => undefined);
    const pages: Uint8Array[] = [];
    for (let offset: number | null = 0; offset !== null; ) {
      const asked = barRequest(pin.apply(request), plan, shape, { first, last, interval });
      const path = requestPath(asked, { response_format: 'arrow', offset, limit });
      const response = await getResponse(path, signal);
      pin.note(response);
      pages.push(new Uint8Array(await response.arrayBuffer()));
      const next = response.headers.get('X-Pagination-Next-Offset') ?? '';
      offset = next === '' ? null : Number(next);
    }
    const { barsOfArrow } = await collecting;
    return barsOfArrow(source, pages);
  };
}
