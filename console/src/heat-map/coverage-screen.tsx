import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { CoverageMap } from '@ticklake/client';
import { useState } from 'react';
import { CheckboxField } from '../ui/checkbox-field';
import { DateField } from '../ui/date-field';
import { Loaded } from '../ui/loading';
import { Page } from '../ui/page';
import { SelectField } from '../ui/select-field';
import { Toolbar } from '../ui/toolbar';
import { amissCount, mapColumns } from './coverage-cells';
import { coverageMapQuery } from './coverage-query';
import { type CoverageRange, RANGE_DAYS, RANGE_LABELS, shownDays } from './coverage-range';
import { HeatMap, MapLegend } from './heat-map';

const RANGES = RANGE_DAYS.map((value) => ({ value, label: RANGE_LABELS[value] }));

function ShownMap({ map, isAmissOnly }: { map: CoverageMap; isAmissOnly: boolean }) {
  const rows = map.datasets.filter((row) => !isAmissOnly || amissCount(row) > 0);
  const columns = mapColumns(map);
  return (
    <>
      <MapLegend rows={map.datasets} />
      {rows.length === 0 || columns.length === 0 ? (
        <p>There is nothing to show.</p>
      ) : (
        <HeatMap rows={rows} columns={columns} />
      )}
    </>
  );
}

/** What is there of each day of every dataset, at a glance. */
export function CoverageScreen() {
  const range = useSearch({ from: '/signed-in/administration/coverage' });
  const navigate = useNavigate({ from: '/coverage' });
  const [nowMs] = useState(Date.now);
  const [isAmissOnly, setIsAmissOnly] = useState(false);
  const { start, end } = shownDays(range, nowMs);
  const map = useQuery(coverageMapQuery(start, end));
  const show = (search: CoverageRange) =>
    void navigate({ search, replace: true, resetScroll: false });
  return (
    <Page
      title="Coverage"
      description="Which trade dates each dataset has, of all datasets that are published by day."
    >
      <Toolbar label="Choose the days">
        <SelectField
          label="Range"
          name="days"
          value={range.days ?? '30'}
          options={RANGES}
          onValueChange={(days) => show({ ...range, days })}
        />
        <DateField
          label="Last day"
          name="end"
          value={end}
          onValueChange={(day) =>
            show({ ...(range.days && { days: range.days }), ...(day && { end: day }) })
          }
        />
        <CheckboxField
          label="Only incomplete datasets"
          name="amiss"
          value={isAmissOnly}
          onValueChange={setIsAmissOnly}
        />
      </Toolbar>
      <Loaded query={map} what="coverage">
        {(loaded) => <ShownMap map={loaded} isAmissOnly={isAmissOnly} />}
      </Loaded>
    </Page>
  );
}
