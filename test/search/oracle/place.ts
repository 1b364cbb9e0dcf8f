import type { Dice } from './dice.js';

/** A distance with a unit, or in metres. */
export const distance = (dice: Dice): unknown =>
  dice.pick<unknown>('5km', '2000mi', 1000, '900000', '1nmi', '12000km', '0.5 km', '1e3km');

/** A location in one of its notations. */
export const point = (dice: Dice): unknown =>
  dice.pick<unknown>(
    { lat: 48.85, lon: 2.35 },
    [2.35, 48.85],
    '48.85,2.35',
    'u09tvw',
    [13.4, 52.5],
    { lat: -17.7, lon: -179.9 },
    'POINT (0 0)',
  );

/** A bounding box in one of its notations. */
export const box = (dice: Dice): object =>
  dice.pick<object>(
    { top_left: { lat: 49, lon: 2 }, bottom_right: { lat: 48.855, lon: 3 } },
    { top_left: '70,-30', bottom_right: [20, 40] },
    { top_right: '70,20', bottom_left: '40,-30' },
    { top_left: [170, 0], bottom_right: [-170, -40] },
    { top: 70, left: -30, bottom: 40, right: 20 },
    { wkt: 'BBOX (-30, 20, 70, 40)' },
    { top_left: 'u0', bottom_right: 'u0' },
    { top_left: { lat: 90, lon: -180 }, bottom_right: { lat: -90, lon: 180 } },
  );
