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
    // The chart draws in the frame after the wheel was turned, and what is told of it after that.
    const zoom = async (by: number) => {
      await page.mouse.wheel(0, by);
      await page.evaluate(
        () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
      );
      return grouped.isVisible();
    };
    await expect.poll(() => zoom(-400)).toBe(false);
    await expect.poll(pointed).toMatch(/^Time \S+ \S+, Open/);
    await screenshot('near');

    const before = await pointed();
    await page.mouse.down();
    await page.mouse.move(middle[0] + 300, middle[1], { steps: 10 });
    await page.mouse.up();
    const bar = /^Time (\S+) (\S+), Open ([\d.]+), .* Close ([\d.]+), Volume ([\d,]+)$/;
    let told: RegExpExecArray | null = null;
    const isEarlier = async () => {
      told = bar.exec(await pointed());
      return told !== null && `${told[1]} ${told[2]}` < before.slice('Time '.length);
    };
    await expect.poll(isEarlier).toBe(true);
    const [, day, time, first, last, volume] = told!;
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
        Volume: Number(volume!.replace(',', '')),
      },
    ]);
    await expect.poll(() => zoom(400)).toBe(true);
  });
});
