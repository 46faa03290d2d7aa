import { expect, it } from 'vitest';
import { MINUTES, planOfPath } from '../../test/plan-of-path.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { labelsOf } from './page.ts';

it('labels say how rows are made of those that are stored', () => {
  const plan = planOfPath(`${MINUTES}?TradeDate=2026-11-18&interval=1h`);
  const made = {
    'ticklake.dataset_id': plan.dataset.datasetId,
    'ticklake.interval': '1h',
    'ticklake.dataset_version': '7',
    'ticklake.window': '2026-11-18/2026-11-18',
  };
  expect(labelsOf(plan)).toEqual(made);
  const restatement = { adjustments: 'splits', asOf: '2026-11-17', factors: { version: 3 } };
  const restated = { ...plan, restatement } as unknown as QueryPlan;
  expect(labelsOf(restated)).toEqual({
    ...made,
    'ticklake.adjustments': 'splits',
    'ticklake.adjusted_as_of': '2026-11-17',
    'ticklake.factors_version': '3',
  });
});
