import { grid } from './option/grid.js';

export const geohashGrid = grid('geohash_grid', { byDefault: 5, min: 1, max: 12 });
