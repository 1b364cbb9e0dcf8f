import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { itIf } from '../support/conditional.js';
import { atEnd, full, limit, openReceiver, report, startDay, timed, until, useEnds } from './day.js';

useEnds();

const lasting = full ? 20_000 : 3000;

/** Whether this user may give a process its own mounts, and so its own name server. */
const mayMount = spawnSync('unshare', ['--mount', 'true']).status === 0;

/**
 * Starts a name server on port 53 of a loopback address, which answers 127.0.0.1 to every IPv4 question or stays
 * silent.
 */
async function startNameServer(address: string) {
  const socket = createSocket('udp4');
  let away = false;
  socket.on('message', (question, { port, address: from }) => {
    if (away) return;
    const end = question.indexOf(0, 12) + 5;
    const isAddress = question.readUInt16BE(end - 4) === 1;
    const header = Buffer.from(question.subarray(0, 12));
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(isAddress ? 1 : 0, 6);
    header.fill(0, 8);
    const answer = Buffer.from('c00c000100010000000000047f000001', 'hex');
    socket.send(Buffer.concat([header, question.subarray(12, end), ...(isAddress ? [answer] : [])]), port, from);
  });
  socket.bind(53, address);
  await once(socket, 'listening');
  atEnd(() => socket.close());
  return {
    leave: () => (away = true),
    comeBack: () => (away = false),
  };
}

describe('unreachable name server', () => {
  itIf(mayMount, 'may not mount')(
    'leaves storing and hooks by address working, and calls the other hooks when it is back',
    async () => {
      const names = await startNameServer('127.0.0.53');
      const folder = await mkdtemp(join(tmpdir(), 'ddp-names-'));
      atEnd(() => rm(folder, { recursive: true, force: true }));
      const resolver = join(folder, 'resolv.conf');
      await writeFile(resolver, 'nameserver 127.0.0.53\noptions timeout:2 attempts:1\n');
      const script = 'mount --bind "$0" /etc/resolv.conf && exec "$@"';
      const day = await startDay({ wrapper: ['unshare', '--mount', 'sh', '-c', script, resolver] });
      const named = await openReceiver();
      const url = named.url().replace('127.0.0.1', 'receiver.chaos.test');
      await day.call('POST', `/applications/${day.organization}/${day.application}/hooks`, { url });
      await until(() => named.calls.length > 0);
      names.leave();
      // Requests over kept-alive connections need no lookup.
      day.load.take();
      await day.load.stored();
      const before = day.receiver.calls.length;
      await pause(lasting);
      const { statuses, longest } = day.load.take();
      expect(Object.keys(statuses)).toEqual(['200']);
      expect(day.receiver.calls.length).toBeGreaterThan(before);
      names.comeBack();
      const count = named.calls.length;
      const recovered = await timed(until(() => named.calls.length > count));
      await day.settle();
      const delivered = () => new Set(named.calls.map(({ headers }) => headers['x-service-delivery-id'])).size;
      await until(() => delivered() >= day.load.acknowledged.size - count);
      await report({ fault: 'DNS away', statuses, longest, recovered });
    },
    limit,
  );
});

describe('receiver that answers 50 hooks just before the deadline', () => {
  it(
    'delays no other hook, and every call succeeds',
    async () => {
      const [deadline, slow] = full ? [15_000, 14_900] : [3000, 2500];
      const day = await startDay({ settings: { HOOK_TIMEOUT: `${deadline}ms` } });
      const waits: NodeJS.Timeout[] = [];
      atEnd(() => waits.forEach(clearTimeout));
      const slowReceiver = await openReceiver((response) => {
        waits.push(setTimeout(() => response.end('late'), slow));
      });
      await day.load.end();
      for (let index = 0; index < 50; index++) {
        const hook = { url: slowReceiver.url(`/${index}`) };
        await day.call('POST', `/applications/${day.organization}/${day.application}/hooks`, hook);
      }
      const [sent, delays]: [number, number[]] = [full ? 40 : 20, []];
      for (let n = 0; n < sent; n++) {
        const before = day.receiver.calls.length;
        const begun = performance.now();
        await day.call('POST', `/organizations/${day.organization}/records`, { serial: day.serial, data: { n } });
        await until(() => day.receiver.calls.length > before);
        delays.push(performance.now() - begun);
      }
      delays.sort((a, b) => a - b);
      const busiest = slowReceiver.busiest;
      const recovered = await timed(until(() => slowReceiver.calls.length >= 50 * sent));
      await report({ fault: `receiver answers after ${slow} ms`, sent, quickHook: delays, busiest, recovered });
      expect(delays[Math.floor(delays.length / 2)]).toBeLessThan(slow);
    },
    limit,
  );
});

describe('many idle connections', () => {
  it(
    'receives 503 beyond MAX_CONNECTIONS, and serves the allowed connections',
    async () => {
      const [most, count] = full ? [10_000, 100_000] : [300, 3000];
      const day = await startDay({ settings: { MAX_CONNECTIONS: `${most}`, CONNECTIONS_PER_ADDRESS: '0' } });
      await day.load.stored();
      const { port } = new URL(day.url);
      const open = new Set<Socket>();
      atEnd(() => open.forEach((socket) => socket.destroy()));
      let answered = 0;
      let broken = 0;
      day.load.take();
      const opened = await timed(
        (async () => {
          for (let made = 0; made < count; made += 100) {
            const some = Array.from({ length: 100 }, (_, index) => {
              // Each local address has ports of its own, so that none runs out of them.
              const socket = connect({
                port: Number(port),
                host: '127.0.0.1',
                localAddress: `127.0.1.${1 + ((made + index) % 200)}`,
              });
              open.add(socket);
              socket.on('data', (text) => (answered += text.toString().startsWith('HTTP/1.1 503') ? 1 : 0));
              socket.on('error', () => broken++);
              socket.once('close', () => open.delete(socket));
              return once(socket, 'connect').catch(() => undefined);
            });
            await Promise.all(some);
            await until(() => open.size <= most + 500);
          }
        })(),
      );
      await until(() => open.size <= most);
      const { statuses, longest } = day.load.take();
      const held = open.size;
      for (const socket of open) socket.destroy();
      const recovered = await timed(day.load.stored());
      await day.settle();
      await report({
        fault: 'idle connections',
        count,
        limit: most,
        held,
        answered,
        broken,
        opened,
        statuses,
        longest,
        recovered,
      });
      expect(held).toBeLessThanOrEqual(most);
      expect(answered).toBeGreaterThanOrEqual((count - most) * 0.9);
    },
    limit,
  );
});
