import { afterEach, describe, expect, it } from '@jest/globals';
import { begun, buildLiveWorld, missed, values } from '../../live/live-world.js';
import { overSocket, type Subscriber } from '../../live/subscriber.js';
import { useWorld } from '../../support/world.js';

const world = useWorld({});
const subscribers: Subscriber[] = [];
afterEach(() => {
  for (const subscriber of subscribers.splice(0)) subscriber.leave();
});

describe('ninety subscriptions of one token with slow queries', () => {
  it("delays no other organization's records, and reports as missed what it drops of its own", async () => {
    const attacker = await buildLiveWorld(world);
    const quiet = await buildLiveWorld(world);
    // A pattern of this kind runs through a long text with hundreds of states at once.
    const text = 'ab'.repeat(100_000);
    await attacker.send({ t: text });
    await quiet.send({ n: 0 });
    const slow: Subscriber[] = [];
    for (let n = 0; n < 90; n++) {
      const query = { regexp: { 'data.t': `.*a.{90}a.{90}a.{60}c${n}` } };
      const subscriber = overSocket(world.url, attacker.owner.token, attacker.records({ query }));
      slow.push(subscriber);
      subscribers.push(subscriber);
    }
    for (const subscriber of slow) await subscriber.until(begun);
    const plain = overSocket(world.url, quiet.owner.token, quiet.records());
    const choosy = overSocket(
      world.url,
      quiet.owner.token,
      quiet.records({ query: { range: { 'data.n': { gt: 0 } } } }),
    );
    subscribers.push(plain, choosy);
    for (const subscriber of [plain, choosy]) await subscriber.until(begun);
    const worst = { plain: 0, choosy: 0 };
    for (let n = 1; n <= 5; n++) {
      const four = Array.from({ length: 4 }, () => ({ t: text }));
      await Promise.all(Array.from({ length: 10 }, () => attacker.send(...four)));
      await quiet.send({ n });
      const sent = performance.now();
      await plain.until((heard) => values(heard).length >= n);
      worst.plain = Math.max(worst.plain, performance.now() - sent);
      await choosy.until((heard) => values(heard).length >= n);
      worst.choosy = Math.max(worst.choosy, performance.now() - sent);
    }
    expect(worst.plain).toBeLessThan(10_000);
    expect(worst.choosy).toBeLessThan(15_000);
    expect([missed(plain), missed(choosy)]).toEqual([0, 0]);
    expect(slow.some((subscriber) => missed(subscriber) > 0)).toBe(true);
  });
});
