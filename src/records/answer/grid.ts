const alphabet = '0123456789bcdefghjkmnpqrstuvwxyz';

/** Returns the geohash of a cell from its column and row. */
export const geohash = (column: number, row: number, precision: number): string => {
  let [x, y] = [BigInt(column), BigInt(row)];
  let bits = 0n;
  for (let bit = 0; bit < 5 * precision; bit += 1) {
    const fromColumn = (5 * precision - bit) % 2 === 1;
    bits |= ((fromColumn ? x : y) & 1n) << BigInt(bit);
    if (fromColumn) x >>= 1n;
    else y >>= 1n;
  }
  return Array.from(
    { length: precision },
    (_, index) => alphabet[Number((bits >> BigInt(5 * (precision - 1 - index))) & 31n)],
  ).join('');
};

/**
 * Returns the left and right edges of a bounding box, given the smallest and the largest longitude west of Greenwich,
 * and those east of it.
 */
export const around = (
  [westmost = null, west = null, east = null, eastmost = null]: readonly (number | null)[],
  wraps: boolean,
): [number | null, number | null] => {
  if (east === null || eastmost === null) return [westmost, west];
  if (westmost === null || west === null) return [east, eastmost];
  return wraps && eastmost - westmost > 360 - east + west ? [east, west] : [westmost, eastmost];
};
