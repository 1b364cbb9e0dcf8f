import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { LiveStream } from '#live/stream.js';
import { useWorld } from '../support/world.js';
import { buildLiveWorld, type LiveWorld } from './live-world.js';

const world = useWorld();

/** Subscribes over server-sent events; the test decides when the client reads. */
async function subscribe({ owner, records }: LiveWorld): Promise<IncomingMessage> {
  const call = request(`${world.url}/graphql`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${owner.token}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
    },
  });
  call.end(JSON.stringify(records()));
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  response.setEncoding('utf8');
  return response;
}

describe('subscriber that stops reading', () => {
  it('receives the number of missed records, and the newest ones', async () => {
    const place = await buildLiveWorld(world);
    const response = await subscribe(place);
    const events: { missed: number; records: { data: { n: number } }[] }[] = [];
    let text = '';
    response.on('data', (chunk: string) => {
      const parts = (text + chunk).split('\n\n');
      text = parts.pop()!;
      for (const part of parts) {
        const [, data] = /^data: (.+)$/m.exec(part) ?? [];
        if (data !== undefined) events.push(JSON.parse(data).data.recordReceived);
      }
    });
    while (events.length === 0) await once(response, 'data');
    response.pause();
    // More text than the sockets and the queue hold together.
    const filler = 'x'.repeat(20_000);
    const total = 1500;
    for (let n = 0; n < total; n += 100) {
      await place.send(...Array.from({ length: 100 }, (_, index) => ({ n: n + index, filler })));
    }
    response.resume();
    const told = () => events.reduce((sum, { missed, records }) => sum + missed + records.length, 0);
    while (told() < total) await once(response, 'data');
    expect(told()).toBe(total);
    const missed = events.reduce((sum, event) => sum + event.missed, 0);
    expect(missed).toBeGreaterThan(100);
    const numbers = events.flatMap(({ records }) => records.map(({ data }) => data.n));
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(numbers.at(-1)).toBe(total - 1);
    response.destroy();
  });
});

describe('queue of a subscriber', () => {
  const nothing = () => undefined;
  const items = (count: number, size: number) =>
    Array.from({ length: count }, (_, item) => ({ key: String(item), item, size }));

  it('starts with an empty batch', async () => {
    const stream = new LiveStream<number>(10, nothing);
    expect(await stream.next()).toMatchObject({ done: false, value: { items: [], missed: 0 } });
  });

  it('keeps the newest 1,000 items', async () => {
    const stream = new LiveStream<number>(5000, nothing);
    await stream.next();
    stream.push(items(1200, 1));
    const { value } = await stream.next();
    expect([value!.missed, value!.items.length, value!.items[0]]).toEqual([200, 1000, 200]);
  });

  it('keeps a million characters, and delivers them in parts', async () => {
    const stream = new LiveStream<number>(5000, nothing);
    await stream.next();
    stream.push(items(30, 100_000));
    const told = [];
    while (told.at(-1) !== 29) {
      const { value } = await stream.next();
      if (told.length === 0) expect(value!.missed).toBe(20);
      expect(value!.items.length).toBeLessThanOrEqual(2);
      told.push(...value!.items);
    }
    expect(told).toEqual([20, 21, 22, 23, 24, 25, 26, 27, 28, 29]);
  });

  it('skips an item that is too large, and keeps the smaller ones', async () => {
    const stream = new LiveStream<string>(10, nothing);
    await stream.next();
    stream.push([
      { key: 'a', item: 'small', size: 10 },
      { key: 'b', item: 'large', size: 2_000_000 },
    ]);
    expect(await stream.next()).toMatchObject({ done: false, value: { items: ['small'], missed: 1 } });
  });

  it('drops its items when the subscription ends with an error, which is thrown once', async () => {
    const left: unknown[] = [];
    const stream = new LiveStream<number>(10, (one) => left.push(one));
    await stream.next();
    stream.push(items(3, 1));
    stream.end(new Error('No more.'));
    stream.push(items(3, 1));
    await expect(stream.next()).rejects.toThrow('No more.');
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(left).toEqual([stream]);
  });

  it('releases a subscriber at once if it leaves while waiting', async () => {
    const stream = new LiveStream<number>(10, nothing);
    await stream.next();
    const waiting = stream.next();
    await stream.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });
});
