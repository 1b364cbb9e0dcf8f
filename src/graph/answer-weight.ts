import { setImmediate } from 'node:timers/promises';

/** Bytes that are counted together, and values after which others have their turn on the event loop. */
const portion = 64 * 1024;
const yieldEvery = 20_000;

/**
 * Counts about as many bytes as an answer takes once it is written as JSON, before it is: aliases and rows that many others
 * lead to write the same value many times.
 */
export async function reserveAnswer(data: unknown, reserve: (bytes: number) => void): Promise<void> {
  const rest: unknown[] = [data];
  let bytes = 0;
  for (let count = 1; rest.length > 0; count++) {
    const value = rest.pop();
    if (typeof value === 'string') bytes += value.length + 3;
    else if (Array.isArray(value)) for (const item of value) rest.push(item);
    else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        bytes += name.length + 3;
        rest.push(inner);
      }
    } else bytes += 6;
    if (bytes > portion) {
      reserve(bytes);
      bytes = 0;
    }
    if (count % yieldEvery === 0) await setImmediate();
  }
  reserve(bytes);
}
