import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { useHookWorld } from './hook-world.js';

const world = useHookWorld();
const closing = new Set<() => Promise<unknown>>();

afterEach(async () => {
  for (const close of closing) await close();
  closing.clear();
});

/** Starts a TCP receiver. `answer` is called for each request with its number on the connection, from 1 on. */
async function speaking(
  answer: (socket: Socket, number: number) => void,
): Promise<{ url: string; requests: number[] }> {
  const requests: number[] = [];
  const server = createServer((socket) => {
    let number = 0;
    let text = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      text += chunk.toString();
      const head = text.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (head < 0 || text.length < head + 4 + length) return;
      text = '';
      requests.push(++number);
      answer(socket, number);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.add(() => new Promise((resolve) => server.close(resolve)));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requests };
}

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';

describe('webhook call when the receiver closes the connection', () => {
  it('repeats at once within the same attempt when a kept-alive connection closes before any answer', async () => {
    const receiver = await speaking((socket, number) => {
      if (number === 1) socket.write(ok);
      else socket.destroy();
    });
    const hooks = await world.open();
    const subject = await world.subject({ url: receiver.url, concurrency: 1 });
    await world.store(hooks, subject, 6);
    const rows = await world.until(subject, (all) => all.every(({ attempts_made }) => attempts_made === 1));
    expect(rows.map(({ state }) => state)).toEqual(Array(6).fill('succeeded'));
    expect(receiver.requests).toContain(2);
  });

  it('fails the attempt without a repeat when the connection is new', async () => {
    const receiver = await speaking((socket) => socket.destroy());
    const hooks = await world.open();
    const subject = await world.subject({ url: receiver.url });
    await world.store(hooks, subject);
    const [row] = await world.until(subject, ([first]) => first?.attempts_made === 1);
    expect(row).toMatchObject({ state: 'pending', error: { code: 'RESET' } });
    expect(receiver.requests).toEqual([1]);
  });

  it('fails the attempt without a repeat when the connection closes in the middle of the answer', async () => {
    const receiver = await speaking((socket, number) => {
      if (number === 1) socket.write(ok);
      else socket.end('HTTP/1.1 2');
    });
    const hooks = await world.open();
    const subject = await world.subject({ url: receiver.url, concurrency: 1 });
    await world.store(hooks, subject, 2);
    const rows = await world.until(subject, (all) => all.every(({ attempts_made }) => attempts_made === 1));
    expect(rows.map(({ state }) => state).toSorted()).toEqual(['pending', 'succeeded']);
    expect(receiver.requests).toEqual([1, 2]);
  });

  it('counts one failed attempt when the connection closes twice', async () => {
    let calls = 0;
    const receiver = await speaking((socket) => {
      if (++calls === 1) socket.write(ok);
      else socket.destroy();
    });
    const hooks = await world.open();
    const subject = await world.subject({ url: receiver.url, concurrency: 1 });
    await world.store(hooks, subject, 2);
    const rows = await world.until(subject, (all) => all.every(({ attempts_made }) => attempts_made === 1));
    expect(rows.map(({ state }) => state).toSorted()).toEqual(['pending', 'succeeded']);
    expect(receiver.requests).toEqual([1, 2, 1]);
  });
});
