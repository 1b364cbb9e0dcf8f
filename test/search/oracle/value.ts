import type { Dice } from './dice.js';

/** Fields that both sides have, by type, and one that neither has. */
export const numbers = ['data.t', 'data.n', 'data.k', 'metadata.rssi', 'metadata.level'] as const;
export const texts = [
  'data.txt',
  'metadata.provider',
  'data.w',
  'device.name',
  'device.tags',
  'device.serial',
] as const;
export const others = ['data.on', 'data.big', 'data.x', 'ts', 'nope', 'device.location'] as const;

export type Field = (typeof numbers)[number] | (typeof texts)[number] | (typeof others)[number];

/** A field of any type. Sums of extreme values depend on the order of addition, so they are left to {@link numbers}. */
export const anyField = (dice: Dice): Field =>
  dice.one<Field>(
    () => dice.pick(...numbers),
    () => dice.pick(...numbers),
    () => dice.pick(...texts),
    () => dice.pick(...others),
  );

/** A value to compare a field with, sometimes one that does not fit. */
export const valueOf = (dice: Dice, field: Field): unknown => {
  if (dice.chance(0.03)) return dice.pick<unknown>('abc', '', true, 2.5, '1e400', 'NaN', '2026-03-29', -1);
  switch (field) {
    case 'data.on':
      return dice.pick<unknown>(true, false, 'true', 'false', '');
    case 'data.txt':
      return dice.pick('abc', 'ABC', 'x', 'y z', 'été', 'a%b', '', 'none', '😀', '10', 'Zürich');
    case 'metadata.provider':
      return dice.pick('lora', 'sigfox', 'none');
    case 'data.w':
      return dice.pick('red', 'green', 'none');
    case 'device.name':
      return dice.pick('north', 'South', 'été');
    case 'device.tags':
      return dice.pick('roof', 'south', 'none');
    case 'device.serial':
      return dice.pick('00', '03', '99');
    case 'ts':
      return date(dice);
    case 'data.n':
    case 'data.k':
      return dice.pick<unknown>(0, 1, 4, '2', 2.5, 1e2, -5, 255, 256, '3.0');
    case 'data.big':
      return dice.pick<unknown>('9223372036854775807', '9007199254740993', 7, '-9223372036854775808', 9007199254740991);
    case 'metadata.level':
      return dice.pick<unknown>(0, 250, 500.5, '750', 1000);
    case 'data.x':
      return dice.pick<unknown>(0.1, '0.2', 1e300, 1e-300, -1);
    default:
      return dice.pick<unknown>(0, 1.5, 20.1, -90, '2.5', 1e9, -0.001);
  }
};

/** A date as text: whole days and months, moments, date math. */
export const date = (dice: Dice): string =>
  dice.pick(
    '2026-03-29',
    '2026-03-29T01:30:00Z',
    '2026-03-29T01:30',
    '2026-10-25||/d',
    '2026-10-25T01:15:30Z||/m',
    '2026-10-25T00:30Z||/h',
    '2026-10-26T01:30:00Z||-1d',
    '2026-10-25T01:30',
    '2026-03',
    '2026',
    '2026-10-25T02:00:00+02:00',
    '2026-10||+1M/M',
    '2026-10-04||-1d+2h',
    '2026-04-05||/w',
    '2026-11-02T12:00:00.500Z',
    '2026-11-02T12:00:00.123456Z',
    'now-5y/y',
    'now+1y',
  );

export const zone = (dice: Dice): string =>
  dice.pick(
    'Europe/Paris',
    'Europe/London',
    'America/New_York',
    '+05:30',
    'Asia/Kolkata',
    'Australia/Lord_Howe',
    'UTC',
    '-03:00',
    'Z',
  );

/** Returns a value for the option `missing`, which replaces an absent value. */
export const missingOf = (field: Field): unknown => {
  if (field === 'ts') return '2026-01-01';
  if (field === 'data.on') return true;
  if ((texts as readonly string[]).includes(field)) return 'none';
  return field === 'data.n' || field === 'data.k' || field === 'data.big' ? 7 : 1.5;
};
