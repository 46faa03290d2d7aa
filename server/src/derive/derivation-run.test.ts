import { expect, test } from 'vitest';
import { Warnings, withoutRepetitions } from './derivation-run.ts';

test('a dataset tells its own warnings, however many it shares with others', () => {
  const [first, second] = [new Warnings(), new Warnings()];
  for (let n = 0; n < 1200; n++) for (const each of [first, second]) each.add(`ticks ${n}`);
  first.add('ticks 0');
  second.add('its own');
  const [one, two] = withoutRepetitions([{ warnings: first.texts }, { warnings: second.texts }]);
  expect(one?.warnings).toHaveLength(1000);
  expect(two?.warnings).toEqual(
    [...Array(200).keys()].map((n) => `ticks ${n + 1000}`).concat('its own'),
  );
});
