import { expect, it } from 'vitest';
import { fixedClock } from '../base/clock.ts';
import { MailRate } from './mail-rate.ts';

function openRate() {
  const clock = fixedClock('2025-06-20T16:00:00Z');
  return { clock, rate: new MailRate(clock) };
}

it('lets an account send 20 e-mails in an hour, and others go on', () => {
  const { clock, rate } = openRate();
  for (let at = 0; at < 20; at++) rate.count(1, `person${at}@example.com`);
  expect(() => rate.count(1, 'one@example.com')).toThrow('The account has sent 20 e-mails');
  rate.count(2, 'one@example.com');
  clock.set('2025-06-20T16:59:59.999Z');
  expect(() => rate.count(1, 'one@example.com')).toThrow('The account has sent 20 e-mails');
  clock.set('2025-06-20T17:00:00Z');
  rate.count(1, 'one@example.com');
});

it('lets 3 e-mails in an hour go to an address, whoever sends them and however it is written', () => {
  const { clock, rate } = openRate();
  rate.count(1, 'one@example.com');
  rate.count(2, 'One@example.com');
  rate.count(null, 'one@EXAMPLE.com');
  expect(() => rate.count(null, 'one@example.com')).toThrow('3 e-mails went to this address');
  for (let at = 0; at < 100; at++) rate.count(null, `person${at}@example.com`);
  clock.set('2025-06-20T17:00:00Z');
  rate.count(1, 'one@example.com');
});

it('has one e-mail about enquiries of a network in an hour, and 20 of all', () => {
  const { clock, rate } = openRate();
  const counted = (networks: readonly (string | null)[]) =>
    networks.filter((network) => rate.countNotice(network)).length;
  const networks = Array.from({ length: 30 }, (_, at) => `192.0.2.${at}`);
  expect(counted(['192.0.2.0', '192.0.2.0', null, null])).toBe(2);
  expect(counted(networks)).toBe(18);
  clock.set('2025-06-20T17:00:00Z');
  expect(counted(['192.0.2.29', '192.0.2.29'])).toBe(1);
});
