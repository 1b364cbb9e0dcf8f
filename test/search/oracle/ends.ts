import type { Dice } from './dice.js';
import { date, type Field, valueOf, zone } from './value.js';

/** Bounds of a range on a field. */
export const ends = (dice: Dice, field: Field): object => ({
  ...dice.maybe(0.7, () => ({ [dice.pick('gte', 'gt')]: dice.chance(0.05) ? null : valueOf(dice, field) })),
  ...dice.maybe(0.7, () => ({ [dice.pick('lte', 'lt')]: valueOf(dice, field) })),
  // Of several keys of one side, the last counts.
  ...dice.maybe(0.1, () => ({ [dice.pick('gt', 'gte', 'lt', 'lte', 'from', 'to')]: valueOf(dice, field) })),
  ...dice.maybe(0.1, () => ({ [dice.pick('include_lower', 'include_upper')]: dice.chance(0.5) })),
  ...dice.maybe(0.05, () => ({ relation: dice.pick('within', 'INTERSECTS') })),
});

/** Bounds of a range in the syntax of old clients. */
export const oldEnds = (dice: Dice): object => ({
  from: dice.pick(0, 1, null),
  to: dice.pick(2.5, 20.1, null),
  ...dice.maybe(0.5, () => ({ include_lower: dice.chance(0.5) })),
  ...dice.maybe(0.5, () => ({ include_upper: dice.chance(0.5) })),
});

/** Bounds of a date range: date math, formats, time zones. */
export const dates = (dice: Dice): object => {
  if (dice.chance(0.15)) {
    return dice.pick<object>(
      { gte: '29/03/2026', lt: '01/04/2026', format: 'dd/MM/yyyy' },
      { gte: '2026', format: 'yyyy' },
      { gte: '2026', format: '' },
      { gte: '2026-W14-Wed', format: "YYYY-'W'ww-EEE" },
      { gt: '2026-088', format: 'uuuu-DDD', time_zone: 'Europe/Paris' },
      { lt: '2026-3-9T5', format: 'date_optional_time' },
      { gte: 1774742400000, format: 'epoch_millis' },
      { lte: '1774742400', format: 'epoch_second' },
      { gte: '2026-03-29 01:00', format: 'yyyy-MM-dd HH:mm||yyyy', time_zone: 'Europe/Paris' },
      { gte: 1774742400000, lt: '1793577600000' },
    );
  }
  return {
    ...dice.maybe(0.8, () => ({ [dice.pick('gte', 'gt')]: date(dice) })),
    ...dice.maybe(0.6, () => ({ [dice.pick('lt', 'lte')]: date(dice) })),
    ...dice.maybe(0.4, () => ({ time_zone: zone(dice) })),
  };
};
