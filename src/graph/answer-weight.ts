import { setImmediate } from 'node:timers/promises';

/**
 * `portion`: bytes that are reported to `reserve` together. `yieldEvery`: number of values after which the count yields
 * the event loop.
 */
const portion = 64 * 1024;
const yieldEvery = 20_000;

/**
 * Estimates the size of an answer's JSON in bytes before it is written, and passes it to `reserve` in portions. The
 * data alone do not show that size: aliases, and rows that many other rows refer to, write the same value many times.
 */
export async function reserveAnswer(data: unknown, reserve: (bytes: number) => void): Promise<void> {
  const rest: object[] = [];
  let bytes = 0;
  let count = 0;
  const add = (value: unknown) => {
    count++;
    if (typeof value === 'string') bytes += value.length + 3;
    else if (typeof value === 'object' && value !== null) rest.push(value);
    else bytes += 6;
  };
  add(data);
  for (let value = rest.pop(); value !== undefined; value = rest.pop()) {
    if (Array.isArray(value)) for (const item of value) add(item);
    else addFields(value as Readonly<Record<string, unknown>>);
    if (bytes > portion) {
      reserve(bytes);
      bytes = 0;
    }
    if (count >= yieldEvery) {
      count = 0;
      await setImmediate();
    }
  }
  reserve(bytes);

  function addFields(fields: Readonly<Record<string, unknown>>): void {
    // `Object.keys` would create an array for each row. A row inherits no fields, so `for … in` visits the same ones.
    for (const name in fields) {
      bytes += name.length + 3;
      add(fields[name]);
    }
  }
}
