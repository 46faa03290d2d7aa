import { describe, expect, it } from 'vitest';
import { regularHours } from './regular-hours';

const session = (name: 'regular' | 'extended', start: string, end: string, halfEnd = end) => ({
  ...{ name, start, end, half_day_start: start, half_day_end: halfEnd },
});
const at = (text: string) => Date.parse(`${text}Z`) / 1000;

describe('regular hours', () => {
  it('are those between the hours before and after them, which are shorter on half days', () => {
    const isRegular = regularHours({
      sessions: [
        session('extended', '04:00', '09:30'),
        session('regular', '09:30', '16:00', '13:00'),
      ],
      half_days: ['2026-11-27'],
    })!;
    const asked = ['09:29:59', '09:30:00', '12:59:59', '13:00:00', '15:59:00', '16:00:00'];
    const on = (day: string) => asked.map((clock) => isRegular(at(`${day}T${clock}`)));
    expect(on('2026-11-25')).toEqual([false, true, true, true, true, false]);
    expect(on('2026-11-27')).toEqual([false, true, true, false, false, false]);
  });

  it('are those of a span of which any of the moments lies in them', () => {
    const sessions = [session('extended', '04:00', '09:30'), session('regular', '09:30', '16:00')];
    const isRegular = regularHours({ sessions, half_days: [] })!;
    const of = (...clocks: readonly string[]) =>
      isRegular(...clocks.map((clock) => at(`2026-11-25T${clock}:00`)));
    expect([of('08:00', '08:59'), of('09:00', '09:59'), of('15:00', '16:59')]).toEqual([
      ...[false, true, true],
    ]);
  });

  it('may begin on the evening before', () => {
    const sessions = [session('regular', '17:00', '16:00'), session('extended', '16:00', '16:30')];
    const isRegular = regularHours({ sessions, half_days: [] })!;
    const asked = ['2026-11-25T15:59', '2026-11-25T16:00', '2026-11-25T17:00', '2026-11-26T00:00'];
    expect(asked.map((text) => isRegular(at(`${text}:00`)))).toEqual([true, false, true, true]);
  });

  it('are not told apart where a market has no others', () => {
    const sessions = [session('regular', '09:30', '16:15')];
    expect(regularHours({ sessions, half_days: [] })).toBeNull();
    expect(regularHours({ sessions: [], half_days: [] })).toBeNull();
  });
});
