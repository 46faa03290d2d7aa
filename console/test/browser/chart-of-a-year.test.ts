/** A year of minutes in the chart. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describe, SCREENSHOTS, startConsole } from './harness.ts';
import { getWithKey } from './person.ts';
import { BARS, publishYear, yearPath } from './year-of-minutes.ts';

const tested = startConsole(publishYear);

describe('a chart of a year of minutes', () => {
  it('shows candles of many bars from afar and single ones from near, wherever one moves', async () => {
    const { page, open } = await tested.visit({ person: tested.owner });
    await open(yearPath('1m'));
    await page.getByText(`${BARS.toLocaleString('en-US')} bars; `).waitFor();
    const chart = page.getByRole('img', { name: /^Candles/ });
    const grouped = page.getByText(/^Each candle stands for \d+ bars/);
    await grouped.waitFor();
    const box = (await chart.boundingBox())!;
    const middle = [box.x + box.width / 2, box.y + box.height / 3] as const;
    const pointed = async () => {
      await page.mouse.move(...middle);
      await page.mouse.move(middle[0] + 1, middle[1]);
      return (await page.getByRole('slider', { name: 'Bar' }).getAttribute('aria-valuetext'))!;
    };
    await expect.poll(pointed).toMatch(/^Time \S+ \S+ – \S+ \S+, Open/);
    const screenshot = (name: string) =>
      page.screenshot({ path: join(SCREENSHOTS, `explorer-year-of-minutes-${name}.png`) });
    await screenshot('all');
    const zoomIn = async () => {
      await page.mouse.wheel(0, -400);
      await page.waitForTimeout(50);
      return grouped.isVisible();
    };
    await expect.poll(zoomIn).toBe(false);
    await expect.poll(pointed).toMatch(/^Time \S+ \S+, Open/);
    await screenshot('near');

    const before = await pointed();
    await page.mouse.down();
    await page.mouse.move(middle[0] + 300, middle[1], { steps: 10 });
    await page.mouse.up();
    await expect.poll(pointed).not.toBe(before);
    const told = /^Time (\S+) (\S+), Open ([\d.]+), .* Close ([\d.]+), Volume (\d+)$/.exec(
      await pointed(),
    )!;
    const [, day, time, first, last, volume] = told;
    expect(`${day} ${time}` < before.slice('Time '.length)).toBe(true);
    const names = 'FirstTradePrice,LastTradePrice,Volume';
    const { body } = await getWithKey(
      tested.url,
      tested.key,
      `/v1/data/us-equity/eq-trades-1min?adjusted=false&aggregation_logic=algoseek&Ticker=YEAR` +
        `&TradeDate=${day}&BarDateTime=${day}T${time}&columns=${names}`,
    );
    expect(body.data, JSON.stringify(body)).toEqual([
      {
        FirstTradePrice: Number(first),
        LastTradePrice: Number(last),
        Volume: Number(volume),
      },
    ]);
    const zoomOut = async () => {
      await page.mouse.wheel(0, 400);
      await page.waitForTimeout(50);
      return grouped.isVisible();
    };
    await expect.poll(zoomOut).toBe(true);
  });
});
