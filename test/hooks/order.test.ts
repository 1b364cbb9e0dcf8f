import { describe, expect, it } from '@jest/globals';
import { usePostRoom } from './post-room.js';
import { startReceiver } from './receiver.js';

const room = usePostRoom();
const indexOf = ({ body }: { body: string }) =>
  (JSON.parse(body) as { record: { data: { index: number } } }).record.data.index;

describe('an ordered hook', () => {
  it("gets a device's records in the order of storing, the next one only when the one before is over", async () => {
    let code = 500;
    const receiver = await startReceiver((response) => void response.writeHead(code).end());
    const hooks = await room.open();
    const subject = await room.subject({ url: receiver.url(), ordered: true });
    await room.store(hooks, subject, 20);
    await room.until(subject, ([first]) => first?.attempts_made === 1);
    await room.turn(hooks);
    expect(receiver.calls.map(indexOf)).toEqual([0]);
    code = 200;
    room.now += 5000;
    hooks.wake();
    await room.until(subject, (rows) => rows.every(({ state }) => state === 'succeeded'));
    expect(receiver.calls.map(indexOf)).toEqual([0, ...Array.from({ length: 20 }, (_, index) => index)]);
    expect(receiver.busiest).toBe(1);
    await receiver.close();
  });

  it("does not let one device's failure hold up another device", async () => {
    const receiver = await startReceiver((response, call) => {
      const { device } = JSON.parse(call.body) as { device: { serial: string } };
      response.writeHead(device.serial === failing.device.serial ? 500 : 200).end();
    });
    const hooks = await room.open();
    const failing = await room.subject({ url: receiver.url(), ordered: true });
    const sibling = await room.device(failing);
    await room.store(hooks, failing, 3);
    await room.store(hooks, { ...failing, device: sibling }, 3);
    await room.until(failing, (rows) => rows.filter(({ state }) => state === 'succeeded').length === 3);
    expect(await room.deliveries(failing)).toMatchObject([
      { state: 'pending', attempts_made: 1 },
      { attempts_made: 0 },
      { attempts_made: 0 },
      { state: 'succeeded' },
      { state: 'succeeded' },
      { state: 'succeeded' },
    ]);
    await receiver.close();
  });
});

describe('a hook with a rate', () => {
  it('is called so often and no oftener, however much waits', async () => {
    const receiver = await startReceiver();
    const hooks = await room.open();
    const subject = await room.subject({ url: receiver.url(), max_per_second: 20 });
    await room.store(hooks, subject, 10);
    // A tenth of a second's calls at once.
    await receiver.received(2);
    await room.turn(hooks);
    expect(receiver.calls).toHaveLength(2);
    room.now += 100;
    hooks.wake();
    await receiver.received(4);
    await room.turn(hooks);
    expect(receiver.calls).toHaveLength(4);
    // However long it was quiet, no more than a tenth of a second's calls are saved up.
    room.now += 60_000;
    hooks.wake();
    await receiver.received(6);
    await room.turn(hooks);
    expect(receiver.calls).toHaveLength(6);
    await receiver.close();
  });
});
