import type { World } from '../support/world.js';
import { begun, buildLiveWorld, missed, values } from './live-world.js';
import { overSocket } from './subscriber.js';

/** Numbers of records that a subscriber got, that the service counted as missed, and that match its query. */
export interface Heard {
  readonly told: number;
  readonly missed: number;
  readonly matching: number;
}

/** Stores 4,000 records of an organization at once, and returns what three subscribers with different queries got. */
export async function hearBurst(world: World): Promise<Heard[]> {
  const place = await buildLiveWorld(world);
  // Gives the undeclared field the type of its first value.
  await place.send({ i: 0 });
  const floors = [2000, 3000, 3900];
  const subscribers = floors.map((gte) => {
    const asked = place.records({ limit: 500, query: { range: { 'data.i': { gte } } } });
    return overSocket(world.url, place.owner.token, asked);
  });
  try {
    for (const subscriber of subscribers) await subscriber.until(begun);
    const calls = Array.from({ length: 80 }, (_, call) =>
      place.send(...Array.from({ length: 50 }, (_, index) => ({ i: call * 50 + index }))),
    );
    await Promise.all(calls);
    const all: Heard[] = [];
    for (const [index, subscriber] of subscribers.entries()) {
      const matching = 4000 - floors[index]!;
      await subscriber.until((heard) => values(heard).length + missed(heard) >= matching);
      all.push({ told: values(subscriber).length, missed: missed(subscriber), matching });
    }
    return all;
  } finally {
    for (const subscriber of subscribers) subscriber.leave();
  }
}
