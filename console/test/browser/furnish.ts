/** Something to see on every screen. */
import type { TestedConsole } from './harness.ts';
import { getWithKey } from './person.ts';

export interface Furnished {
  /** Link of an invitation that nobody has used. */
  readonly link: string;
}

/** Accounts, a plan, people, keys that are not in use, requests that were refused. */
export async function furnish(tested: TestedConsole): Promise<Furnished> {
  const owner = await tested.signIn(tested.owner);
  const { identity_id: id } = await owner.post('/identities', {
    name: 'Second Fund',
    ip_subnets: ['192.0.2.0/24', '2001:db8::/32'],
  });
  await owner.post(`/identities/${id}/data-access-rules`, {
    dataset_id: 'eq_daily_ohlc',
    start_date: '2024-01-01',
    end_date: '2024-12-31',
    universe_identifiers: ['AVQX', 'BZOQ'],
  });
  await owner.post('/people', { email: 'member@second.test', role: 'member', identity_id: id });
  const invited = { email: 'invited@demo.test', role: 'manager', identity_id: 1 };
  const { link } = await owner.post('/people/invite', invited);
  await owner.post(`/identities/${id}/deactivate`);
  await tested.addPerson('colleague@demo.test', 'member');
  const { plan_id: planId } = await owner.post('/plans', {
    name: 'Research',
    contract_days: 30,
    month: { requests: 1000 },
  });
  await owner.post(`/plans/${planId}/data-access-rules`, { groups: ['Equity'] });
  const key = await owner.post('/account/my/api-keys', { name: 'unused', expires_in: '30d' });
  await owner.post(`/account/my/api-keys/${key.key_id}/deactivate`);
  await owner.post('/account/my/api-keys', { name: 'about to expire', expires_in: '1d' });
  await owner.post('/identities/1/quotas', { month: { requests: 1000, data_scanned: 1e12 } });
  const daily = '/v1/data/us-equity/eq-daily-ohlc?Ticker=AVQX&limit=50';
  for (const path of [daily, daily, '/v1/data/us-equity/eq-trades-1min?Ticker=BZOQ', '/v1/x']) {
    await getWithKey(tested.url, tested.key, path);
  }
  await getWithKey(tested.url, 'not-a-key', '/v1/account/my');
  return { link };
}
