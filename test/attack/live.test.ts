import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { CloseCode } from 'graphql-ws';
import { WebSocket } from 'ws';
import { begun, buildLiveWorld } from '../live/live-world.js';
import { overSocket, type Subscriber } from '../live/subscriber.js';
import { useWorld } from '../support/world.js';

const subscribers: Subscriber[] = [];
afterEach(() => {
  for (const subscriber of subscribers.splice(0)) subscriber.leave();
});

describe('WebSockets without a token', () => {
  const http = { keepAliveTimeout: 75_000, requestTimeout: 60_000, perAddress: 20, maxConnections: 0, stopDelay: 0 };
  const live = { perProcess: 50, perToken: 30, perConnection: 20 };
  const behindProxy = useWorld({ config: { http, live, trustProxy: ['loopback'] } });

  /** Opens a WebSocket from an address that the trusted proxy names. Returns its status when refused. */
  const open = async (address: string): Promise<WebSocket | number> => {
    const url = `${behindProxy.url.replace(/^http/, 'ws')}/graphql`;
    const socket = new WebSocket(url, 'graphql-transport-ws', { headers: { 'x-forwarded-for': address } });
    socket.on('error', () => undefined);
    const refused = once(socket, 'unexpected-response').then(([, { statusCode }]: any) => statusCode as number);
    return Promise.race([once(socket, 'open').then(() => socket), refused]);
  };
  const openMany = (address: string, count: number) => Promise.all(Array.from({ length: count }, () => open(address)));
  const sockets = (opened: (WebSocket | number)[]) => opened.filter((one) => typeof one !== 'number');

  it('allows 20 per address behind a trusted proxy, and refuses more with 429', async () => {
    const opened = await openMany('192.0.2.1', 30);
    expect(sockets(opened)).toHaveLength(20);
    expect(opened.filter((one) => one === 429)).toHaveLength(10);
    expect(typeof (await open('192.0.2.2'))).toBe('object');
    // A closed connection frees its slot.
    const [first] = sockets(opened);
    first!.terminate();
    let next = await open('192.0.2.1');
    while (typeof next === 'number') next = await open('192.0.2.1');
    expect(next.readyState).toBe(WebSocket.OPEN);
    for (const socket of [...sockets(opened), next]) socket.terminate();
  });

  it('allows 20 for all addresses of an IPv6 network of 64 bits', async () => {
    const opened = await Promise.all(Array.from({ length: 30 }, (_, host) => open(`2001:db8:0:7::${host + 1}`)));
    expect(sockets(opened)).toHaveLength(20);
    expect(opened.filter((one) => one === 429)).toHaveLength(10);
    for (const socket of sockets(opened)) socket.terminate();
  });

  it('closes the oldest ones when many addresses connect, so that subscribers with a token still connect', async () => {
    const place = await buildLiveWorld(behindProxy);
    const opened: (WebSocket | number)[] = [];
    for (let n = 10; n < 20; n++) opened.push(...(await openMany(`192.0.2.${n}`, 20)));
    expect(sockets(opened)).toHaveLength(200);
    const [first] = sockets(opened);
    expect([first!.readyState === WebSocket.OPEN, sockets(opened).at(-1)!.readyState]).toEqual([false, WebSocket.OPEN]);
    const others = Array.from({ length: 15 }, () => overSocket(behindProxy.url, place.owner.token, place.records()));
    subscribers.push(...others);
    for (const subscriber of others) await subscriber.until(begun);
    for (const socket of sockets(opened)) socket.terminate();
  });

  it('keeps open connections when refused clients leave before their refusal', async () => {
    const opened = await openMany('192.0.2.40', 20);
    const upgrade = [
      'GET /graphql HTTP/1.1',
      'Host: localhost',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      'Sec-WebSocket-Protocol: graphql-transport-ws',
      'X-Forwarded-For: 192.0.2.40',
    ].join('\r\n');
    const { hostname, port } = new URL(behindProxy.url);
    const leave = async () => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(`${upgrade}\r\n\r\n`);
      socket.resetAndDestroy();
      await once(socket, 'close');
    };
    await Promise.all(Array.from({ length: 200 }, leave));
    expect((await fetch(`${behindProxy.url}/healthz`)).status).toBe(200);
    for (const socket of sockets(opened)) socket.terminate();
  });

  it('closes the oldest connection with 4408 when newer ones exceed the limit of the process', async () => {
    const opened = sockets(await openMany('192.0.2.30', 20));
    const [code] = (
      await Promise.all([once(opened[0]!, 'close'), ...[31, 32, 33].map((n) => openMany(`192.0.2.${n}`, 20))])
    )[0] as [number];
    expect(code).toBe(CloseCode.ConnectionInitialisationTimeout);
    for (const socket of opened) socket.terminate();
  });
});
