import { expect, it } from 'vitest';
import { isTimeZone } from './time-zone.ts';

it.each(['America/New_York', 'Asia/Tokyo', 'US/Eastern', 'Etc/GMT+5', 'UTC'])(
  'knows the zone %s',
  (name) => expect(isTimeZone(name)).toBe(true),
);

it.each(['', 'asia/tokyo', 'Asia/Nowhere', '+09:00', 'utc', 'Tokyo'])(
  'does not take %j for a zone',
  (name) => expect(isTimeZone(name)).toBe(false),
);
