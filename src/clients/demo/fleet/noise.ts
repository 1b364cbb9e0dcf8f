/**
 * Returns a number from 0 to 1 that looks random but depends only on the arguments, so that the fleet's measurements
 * depend only on the device and the time.
 */
export const noise = (a: number, b: number): number => {
  let bits = Math.imul(a + 0x9e3779b9, 0x85ebca6b) ^ Math.imul(Math.floor(b) + 0x7f4a7c15, 0xc2b2ae35);
  bits = Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d);
  bits = Math.imul(bits ^ (bits >>> 12), 0x297a2d39);
  return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32;
};

/**
 * Returns a daily wave: 1 at the given hour (UTC), -1 twelve hours later.
 * @param at Unix seconds.
 */
export const daily = (at: number, hour: number): number => Math.cos(((at / 3600 - hour) * Math.PI) / 12);
