/**
 * A number from 0 to 1 that looks random and is the same for the same arguments: what the fleet measures depends on the
 * device and the time alone.
 */
export const noise = (a: number, b: number): number => {
  let bits = Math.imul(a + 0x9e3779b9, 0x85ebca6b) ^ Math.imul(Math.floor(b) + 0x7f4a7c15, 0xc2b2ae35);
  bits = Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d);
  bits = Math.imul(bits ^ (bits >>> 12), 0x297a2d39);
  return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32;
};

/** A wave of a day: 1 at the hour (UTC) of its height, -1 twelve hours later. `at` in Unix seconds. */
export const daily = (at: number, hour: number): number => Math.cos(((at / 3600 - hour) * Math.PI) / 12);
