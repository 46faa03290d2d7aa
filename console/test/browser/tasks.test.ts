/** Tasks that people come for, by the clicks that they take. */
import { expect } from 'vitest';
import { describe, startConsole, withSite } from './harness.ts';
import { getWithKey } from './person.ts';
import { type TaskVisit, tasksOf } from './task-visit.ts';

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

const PASSWORD = 'several unrelated words';

/** An account that may read a dataset; its name in texts. */
async function newAccount(name: string, datasetId: string) {
  const owner = await tested.signIn(tested.owner);
  const { identity_id: id } = await owner.post('/identities', { name });
  const rule = { dataset_id: datasetId, start_date: '2007-01-01' };
  await owner.post(`/identities/${id}/data-access-rules`, rule);
  return { owner, id };
}

describe('a new quant', () => {
  inBothBrowsers(
    'comes from an invitation to the first chart by 3 clicks, without knowing a ticker',
    async (visiting, browserName) => {
      const { owner, id } = await newAccount(`quants of ${browserName}`, 'US1020');
      const invited = { email: `quant@${browserName}.test`, role: 'manager', identity_id: id };
      const { link } = await owner.post('/people/invite', invited);
      await visiting(null, async (visit) => {
        await visit.open(link);
        await visit.see('button', 'Set password');
        await visit.fill('new_password', PASSWORD);
        await visit.fill('again', PASSWORD);
        await visit.click('button', 'Set password');
        await visit.read('Your password is set. Sign in with it.');
        await visit.fill('password', PASSWORD);
        await visit.click('button', 'Sign in');
        await visit.click('link', 'Show chart');
        await visit.seePicture('Candles with volume of ');
        expect(visit.clicks).toBe(3);
      });
    },
  );

  inBothBrowsers(
    'copies a program that makes a DataFrame by 1 click',
    async (visiting, browserName) => {
      const { id } = await newAccount(`frames of ${browserName}`, 'US1020');
      const person = await tested.addPerson(`frames@${browserName}.test`, 'manager', id);
      await visiting(person, async (visit) => {
        await visit.open('/console/');
        await visit.read('client.dataset("US1020")');
        await visit.read('TICKLAKE_KEY');
        await visit.read('dates="latest"');
        await visit.click('button', 'Copy program');
        await visit.see('button', 'Copied');
        expect(visit.clicks).toBe(1);
      });
    },
  );
});

describe('a customer', () => {
  inBothBrowsers('reads why a request was refused by 2 clicks', async (visiting, browserName) => {
    const { owner, id } = await newAccount(`refused in ${browserName}`, 'US1020');
    const ends = { name: 'program', expires_in: '1d' };
    const { api_key: key } = await owner.post(`/identities/${id}/api-keys`, ends);
    const path = '/v1/data/us-equity/eq-daily-ohlc?Tickr=AVQX';
    expect((await getWithKey(tested.url, key, path)).status).toBe(422);
    const person = await tested.addPerson(`refused@${browserName}.test`, 'member', id);
    const member = await tested.signIn(person);
    // The ledger is written after the answers, and the screen reads it once.
    const logged = async () => JSON.stringify((await member.get('/account/my/requests')).body);
    await expect.poll(logged).toContain('Tickr');
    await visiting(person, async (visit) => {
      await visit.open('/console/');
      await visit.click('link', 'Usage');
      await visit.click('button', 'Refused or failed');
      await visit.read('Tickr');
      expect(visit.clicks).toBe(2);
    });
  });
});

describe('an analyst', () => {
  inBothBrowsers('sees a whole day of ticks as a chart by 1 click', async (visiting) => {
    await visiting(tested.owner, async (visit) => {
      await visit.open('/console/explorer?dataset=US1032');
      await visit.click('button', 'Example');
      // Candles where there are many ticks, else each of them.
      await visit.seePicture(' of ');
      expect(await visit.evaluate(() => document.querySelectorAll('canvas').length)).not.toBe(0);
      expect(visit.clicks).toBe(1);
    });
  });

  inBothBrowsers('sees an option chain with its smile by 1 click', async (visiting) => {
    await visiting(tested.owner, async (visit) => {
      await visit.open('/console/');
      await visit.click('link', 'Option chains');
      await visit.seePicture('Implied volatility of ');
      expect(visit.clicks).toBe(1);
    });
  });

  inBothBrowsers('sees continuous futures by 1 click, without knowing a root', async (visiting) => {
    await visiting(tested.owner, async (visit) => {
      await visit.open('/console/explorer?dataset=US6015');
      await visit.click('button', 'Example');
      await visit.seePicture('Candles');
      expect(await visit.evaluate(() => document.title)).toMatch(/^[A-Z]+\.c\.0, /);
      expect(visit.clicks).toBe(1);
    });
  });
});

describe('an owner', () => {
  inBothBrowsers(
    'sees by 1 click what needs them, the loads, the usage and the contracts that end',
    async (visiting, browserName) => {
      const { owner, id } = await newAccount(`ending in ${browserName}`, 'US1020');
      const soon = new Date(Date.now() + 10 * 86_400_000).toISOString();
      await owner.post(`/identities/${id}/update`, { contract_ends_at: soon.slice(0, 10) });
      await visiting(tested.owner, async (visit) => {
        await visit.open('/console/');
        await visit.click('link', 'Home');
        for (const table of [
          'Latest publications',
          'Accounts that use most',
          'Contracts ending soon',
        ]) {
          await visit.see('table', table);
        }
        await visit.see('table', 'Late or failed datasets');
        await visit.see('link', `ending in ${browserName}`);
        expect(visit.clicks).toBe(1);
      });
    },
  );

  inBothBrowsers('rolls a load back by 2 clicks from where it is seen', async (visiting) => {
    const owner = await tested.signIn(tested.owner);
    const { data } = (await owner.get('/admin/publications?limit=50')).body;
    type Loaded = { version: number | null; rolled_back_by: number | null };
    const standing = ({ state, datasets }: { state: string; datasets: readonly Loaded[] }) =>
      state === 'published' &&
      datasets.some((each) => each.version !== null && each.rolled_back_by === null);
    const { publication_id: id } = data.find(standing);
    await visiting(tested.owner, async (visit) => {
      await visit.open('/console/publications/history');
      await visit.click('button', `Roll back… publication ${id}`);
      await visit.see('dialog', `Roll back publication ${id}?`);
      await visit.click('button', 'Roll back');
      await visit.read(`Publication ${id} was rolled back`);
      expect(visit.clicks).toBe(2);
    });
  });
});

describe('anybody', () => {
  const find = async (visit: TaskVisit, text: string, role: string, name: string) => {
    await visit.press('Control+k');
    await visit.see('combobox', 'Dataset, ticker, person, page or command');
    // The field is seen before it has the focus, and keys of that time would be lost.
    await visit.fill('Dataset, ticker, person, page or command', text);
    await visit.see(role, name);
    await visit.press('Enter');
  };

  inBothBrowsers(
    'finds datasets, tickers, people, accounts, pages and commands without a click',
    async (visiting) => {
      await visiting(tested.owner, async (visit) => {
        await visit.open('/console/');
        await visit.see('heading', 'Overview');
        await find(visit, 'US1020', 'group', 'Datasets');
        await visit.see('heading', 'US Equities Daily OHLC');
        await find(visit, 'audit', 'option', 'Audit log');
        await visit.see('heading', 'Audit log');
        await find(visit, tested.owner.email, 'group', 'People');
        await visit.see('heading', 'People');
        await find(visit, 'dark', 'option', 'Dark theme');
        await visit.press('Control+k');
        await visit.see('dialog', 'Find');
        expect(await visit.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
        await visit.press('Escape');
        await find(visit, 'generate', 'option', 'Generate an API key');
        await visit.see('dialog', 'Generate an API key');
        await visit.press('Escape');
        await find(visit, 'AVQX', 'group', 'Tickers');
        await visit.seePicture('Candles with volume of AVQX');
        expect(visit.clicks).toBe(0);
      });
    },
  );
});
