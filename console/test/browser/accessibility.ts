/** Violations that axe-core finds on a page. */
import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const GRAVE = ['serious', 'critical'];

/** One line for each fault that is serious or critical, with the elements that have it. */
export async function graveFaults(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>(
    'axe.run(document, { resultTypes: ["violations"] })',
  );
  return violations
    .filter(({ impact }) => GRAVE.includes(impact ?? ''))
    .map(({ id, help, nodes }) => {
      const elements = nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`);
      return `${id}: ${help}\n  ${elements.join('\n  ')}`;
    });
}
