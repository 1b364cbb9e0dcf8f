import { grid } from './option/grid.js';

export const geotileGrid = grid('geotile_grid', { byDefault: 7, min: 0, max: 29 });
