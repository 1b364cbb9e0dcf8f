import { setImmediate } from 'node:timers/promises';

/** Bytes that are counted together, and values after which others have their turn on the event loop. */
const portion = 64 * 1024;
const yieldEvery = 20_000;

/**
 * Counts about as many bytes as an answer takes once it is written as JSON, before it is: aliases and rows that many others
 * lead to write the same value many times.
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
    // Not `Object.keys`, which makes an array for each row: nothing here inherits fields.
    for (const name in fields) {
      bytes += name.length + 3;
      add(fields[name]);
    }
  }
}
