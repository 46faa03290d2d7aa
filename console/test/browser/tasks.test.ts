/** Tasks that people come for, by the clicks that they take. */
import { expect } from 'vitest';
import { describe, startConsole, withSite } from './harness.ts';
import { tasksOf } from './task-visit.ts';

const tested = startConsole(
  withSite({
    name: 'Example Data',
    public_catalogue: true,
    public_samples: ['eq_daily_ohlc'],
    prices: { eq_daily_ohlc: '$20 a month', all: 'Ask us' },
  }),
);
const inBothBrowsers = tasksOf(tested);

describe('a prospect', () => {
  inBothBrowsers(
    'sees what is offered and its price, and asks the owner by 1 click',
    async (visiting, browserName) => {
      const email = `prospect@${browserName}.test`;
      await visiting(null, async (visit) => {
        await visit.open('/');
        await visit.read('US Equities Daily OHLC');
        await visit.read('$20 a month');
        await visit.click('button', 'Ask for access');
        expect(visit.clicks).toBe(1);
        await visit.see('textbox', 'Your e-mail address');
        await visit.type(email);
        await visit.click('button', 'Ask');
        await visit.see('dialog', 'Your request was sent');
      });
      await visiting(tested.owner, async (visit) => {
        await visit.open('/console/access-requests');
        await visit.read(email);
        await visit.click('button', `Invite ${email}`);
        await visit.see('dialog', 'New person');
        await visit.click('combobox', 'Account');
        await visit.type('demo');
        await visit.press('Enter');
        await visit.click('button', 'Create');
        await visit.see('dialog', `Invitation for ${email}`);
        await visit.click('button', 'Done');
        expect(visit.clicks).toBe(4);
      });
      const owner = await tested.signIn(tested.owner);
      expect((await owner.get('/enquiries')).body).toEqual([]);
    },
  );
});
