import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../src/base/errors.ts';
import { INSTALLED_ENGINE } from '../../src/installed.ts';
import { readSite } from '../../src/site/site-file.ts';
import { openContractService } from '../contract/fixture.ts';
import { openTestService, type TestService } from '../harness.ts';

const OPEN = {
  public_catalogue: true,
  public_samples: ['US1032', 'eq_daily_ohlc'],
  prices: { eq_daily_ohlc: '$20 a month', all: 'Ask us' },
  ...{ name: 'Example Data', text: 'Ticks.', contact: 'sales@example.com' },
};

/** Names that the fixture has rows of. */
const DAILY = 'US1020';
const TICKS = 'US1032';
const HALTS = 'US1040';

let open: TestService;
let closed: TestService;
beforeAll(async () => {
  open = await openContractService({ site: OPEN });
  closed = await openContractService();
});
afterAll(async () => {
  await open.close();
  await closed.close();
});

const get = (service: TestService, url: string) => service.app.inject({ url: `/v1${url}` });

describe('a catalogue that the owner has not made public', () => {
  it('is a 404 like any other path, also of the datasets and their samples', async () => {
    for (const path of ['', `/${DAILY}/columns`, `/${TICKS}/sample`]) {
      const answer = await get(closed, `/public/datasets${path}`);
      expect([answer.statusCode, answer.json()], path).toEqual([404, { detail: 'Not Found' }]);
    }
    const config = await closed.app.inject({ url: '/console/config.json' });
    expect(config.json()).toMatchObject({ name: 'Ticklake', has_public_catalogue: false });
  });
});

describe('the public catalogue', () => {
  it('tells anybody what there is, with coverage, size and columns', async () => {
    const answer = await get(open, '/public/datasets');
    expect(answer.statusCode).toBe(200);
    const rows = answer.json() as { dataset_id: string }[];
    expect(rows).toHaveLength(open.services.catalog.datasets.length);
    const snapshot = await open.services.lake.snapshot(DAILY);
    expect(rows.find(({ dataset_id: id }) => id === DAILY)).toEqual({
      dataset_id: DAILY,
      dataset_name: 'US Equities Daily OHLC',
      data_group: 'Equity',
      vendor: 'Test',
      dataset_text_id: 'eq_daily_ohlc',
      description: open.services.catalog.byId(DAILY)?.description,
      time_granularity: 'Daily',
      column_names: open.services.catalog.byId(DAILY)?.columns.map(({ name }) => name),
      first_trade_date: '2025-06-17',
      last_trade_date: '2025-06-18',
      row_count: 4,
      stored_bytes: snapshot?.byteCount,
      has_sample: true,
      price: '$20 a month',
    });
    const again = await open.app.inject({
      url: '/v1/public/datasets',
      headers: { 'if-none-match': answer.headers.etag as string },
    });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  it('describes the columns as the catalogue of accounts does', async () => {
    const answer = await get(open, `/public/datasets/${DAILY}/columns`);
    const own = await open.get(`/v1/meta/datasets/${DAILY}/columns`);
    expect(answer.json()).toEqual(own.json());
    expect((await get(open, '/public/datasets/US9999/columns')).statusCode).toBe(404);
  });

  it('shows the first rows of the first day of a sample, as its page has them', async () => {
    const answer = await get(open, `/public/datasets/${DAILY}/sample`);
    const { data } = (
      await open.get('/v1/data/us-equity/eq-daily-ohlc?TradeDate=2025-06-17&limit=5')
    ).json();
    expect(answer.json().data).toEqual(data);
    expect(data).toHaveLength(2);
  });

  it('shows rows of datasets that need an identifier to be asked for', async () => {
    const { data } = (await get(open, `/public/datasets/${TICKS}/sample`)).json();
    expect(data.map(({ Ticker }: { Ticker: string }) => Ticker)).toEqual([
      'AAA',
      'AAA',
      'AAA',
      'BBB',
      'ZZTST',
    ]);
  });

  it('has no sample of a dataset that the owner does not name', async () => {
    expect((await get(open, `/public/datasets/${HALTS}/sample`)).statusCode).toBe(404);
    const rows = (await get(open, '/public/datasets')).json() as Record<string, unknown>[];
    const named = rows.filter((row) => row.has_sample).map((row) => row.dataset_id);
    expect(named.sort()).toEqual([DAILY, TICKS]);
  });

  it('takes no parameters: nobody can ask for other rows or more of them', async () => {
    for (const query of ['limit=1000', 'offset=5', 'Ticker=BBB', 'dataset_version=1']) {
      const answer = await get(open, `/public/datasets/${TICKS}/sample?${query}`);
      expect([answer.statusCode, answer.json().detail[0].type], query).toEqual([
        422,
        'unexpected_parameter',
      ]);
    }
  });

  it('counts for no account and changes nothing that an account may read', async () => {
    const before = (await open.services.usage.counters.read(open.accountId)).month;
    await open.app.inject({
      url: `/v1/public/datasets/${TICKS}/sample`,
      headers: { 'x-api-key': open.key },
    });
    expect((await open.services.usage.counters.read(open.accountId)).month).toEqual(before);
    const { key } = await open.addAccount('nothing');
    const refused = await open.app.inject({
      url: `/v1/data/us-equity/eq-daily-ohlc?Ticker=AAA`,
      headers: { 'x-api-key': key },
    });
    expect(refused.statusCode).toBe(403);
  });

  it('is offered under the name, text and contact of the owner', async () => {
    const config = await open.app.inject({ url: '/console/config.json' });
    expect(config.json()).toEqual({
      ...{
        api: '/v1',
        version: '0.1.0',
        logo: null,
        has_public_catalogue: true,
        sends_email: false,
      },
      ...{ name: 'Example Data', text: 'Ticks.', contact: 'mailto:sales@example.com' },
    });
  });
});

describe('site.yaml', () => {
  const home = mkdtempSync(join(tmpdir(), 'ticklake-site-'));
  afterAll(() => rmSync(home, { recursive: true }));

  const read = (text: string) => {
    writeFileSync(join(home, 'site.yaml'), text);
    return readSite(home, open.services.catalog);
  };

  it('takes an address for mail or of a page as the contact, and nothing that a browser would run', () => {
    const contact = (text: string) => read(`contact: ${JSON.stringify(text)}`).contact;
    expect(contact('sales@example.com')).toBe('mailto:sales@example.com');
    expect(contact('https://example.com/access')).toBe('https://example.com/access');
    for (const text of ['javascript:alert(1)', 'data:text/html,x', 'nobody', 'a@b?bcc=c@d']) {
      expect(() => contact(text), text).toThrow(/site\.yaml: contact must be an e-mail address/);
    }
  });

  it('may be empty, and names the field that is wrong', () => {
    expect(read('')).toMatchObject({ name: 'Ticklake', hasPublicCatalogue: false });
    for (const [text, problem] of [
      ['title: A', 'title is not a field; legal fields: name, text, logo, contact,'],
      ["name: ''", 'name must be a text of up to 60 characters'],
      ['public_catalogue: 1', 'public_catalogue must be true or false'],
      ['name: [', 'site.yaml cannot be read'],
    ] as const) {
      expect(() => read(text)).toThrow(problem);
      expect(() => read(text)).toThrow(UsageError);
    }
  });

  it('refuses a sample that nobody could see', async () => {
    const site = { public_samples: ['US1032'] };
    await expect(openContractService({ site })).rejects.toThrow(
      'public_samples needs public_catalogue: true',
    );
    const unknown = 'public_catalogue: true\npublic_samples: [US1032, eq_nothing]';
    expect(() => read(unknown)).toThrow('there is no dataset "eq_nothing"');
    expect(() => read('prices: {eq_none: free}')).toThrow('there is no dataset "eq_none"');
    expect(() => read('prices: free')).toThrow('prices must be an object of texts');
  });

  it('takes a logo that browsers show, of a bounded size', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    const logo = (name: string, text: string) => {
      writeFileSync(join(home, name), text);
      return () => read(`logo: ${name}`);
    };
    expect(logo('logo.svg', svg)().logo?.contentType).toBe('image/svg+xml');
    const service = await openTestService({ site: { logo: 'logo.svg' } }, INSTALLED_ENGINE, home);
    const answer = await service.app.inject({ url: '/console/logo' });
    expect([answer.statusCode, answer.body]).toEqual([200, svg]);
    expect(answer.headers['content-type']).toBe('image/svg+xml');
    // Opened by itself, it may run nothing.
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    expect(answer.headers['content-security-policy']).toContain("script-src 'self'");
    expect((await service.app.inject({ url: '/console/config.json' })).json().logo).toBe(
      '/console/logo',
    );
    await service.close();
    expect(logo('logo.html', svg)).toThrow(UsageError);
    expect(() => read('logo: none.png')).toThrow('logo cannot be read');
    expect(logo('large.png', 'x'.repeat(262_145))).toThrow('at most 262144');
  });
});
