import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { isId } from '#entities/id.js';
import { useHookWorld } from './hook-world.js';
import { type Behaviour, fine, json, startReceiver, status } from './receiver.js';

const world = useHookWorld();
const settled = (rows: { attempts_made: number }[]) => rows.length > 0 && rows.every((row) => row.attempts_made > 0);

/** Delivers one record to a receiver with the given behaviour, and returns the delivery after the attempt. */
async function deliverTo(behaviour: Behaviour, { path = '/', timeout = 30_000 } = {}) {
  const receiver = await startReceiver(behaviour);
  const hooks = await world.open({ timeout });
  const subject = await world.subject({ url: receiver.url(path) });
  await world.store(hooks, subject);
  const [delivery] = await world.until(subject, settled);
  await receiver.close();
  return { delivery: delivery!, receiver, subject };
}

describe('delivery of a record', () => {
  it('posts the record with its device and application, and names the delivery in the headers', async () => {
    const { delivery, receiver, subject } = await deliverTo(fine, { path: '/in?key=1' });
    const [call] = receiver.calls;
    expect(JSON.parse(call!.body)).toEqual({
      record: { ts: 1_700_000_000.25, metadata: { rssi: -90 }, data: { temperature: 21.5, index: 0 } },
      device: subject.device,
      application: { id: subject.applicationId, organizationId: subject.organizationId },
    });
    expect(call!.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-event': 'record',
      'x-service-delivery-id': delivery.id,
      'user-agent': 'device-data-platform',
      'accept-encoding': 'identity',
    });
    expect(isId(delivery.id)).toBe(true);
    expect(delivery).toMatchObject({
      state: 'succeeded',
      attempts_made: 1,
      response: { statusCode: 200, body: 'fine' },
    });
  });

  it('stores the called address as the fields of `request.uri`', async () => {
    const { delivery, receiver } = await deliverTo(fine, { path: '/in/x?key=1#top' });
    const { host, port } = new URL(receiver.url());
    expect(delivery.request?.uri).toEqual({
      href: receiver.url('/in/x?key=1#top'),
      path: '/in/x?key=1',
      pathname: '/in/x',
      query: 'key=1',
      search: '?key=1',
      hash: '#top',
      hostname: '127.0.0.1',
      port,
      host,
      auth: null,
      slashes: true,
      protocol: 'http:',
    });
  });

  it('skips a disabled hook', async () => {
    const hooks = await world.open();
    const subject = await world.subject({ url: 'http://127.0.0.1:9/', disabled: true });
    await world.store(hooks, subject);
    expect(await world.deliveries(subject)).toEqual([]);
  });
});

describe('answer to a delivery', () => {
  it('keeps a JSON body as JSON', async () => {
    const { delivery } = await deliverTo(json('{"ok":true,"none":null}'));
    expect(delivery.response?.body).toEqual({ ok: true, none: null });
  });

  it('keeps a body as text when it claims to be JSON and is not', async () => {
    const { delivery } = await deliverTo(json('{"ok":'));
    expect(delivery.response?.body).toBe('{"ok":');
  });

  it('replaces characters that PostgreSQL cannot hold', async () => {
    const { delivery } = await deliverTo(json('{"a":"x\\u0000y","b":"\\ud800","c":"\\ud83d\\ude00","d":"\\\\u0000"}'));
    expect(delivery.response?.body).toEqual({ a: 'x\uFFFDy', b: '\uFFFD', c: '😀', d: '\\u0000' });
  });

  it('keeps a body as text when it nests too deep', async () => {
    const deep = '['.repeat(5000) + ']'.repeat(5000);
    const { delivery } = await deliverTo(json(deep));
    expect(delivery.response?.body).toBe(deep);
  });

  it('ends after 64 KiB, of which 16 KiB are stored', async () => {
    let sent = 0;
    const { delivery } = await deliverTo((response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const more = () => {
        while (sent < 10 * 1024 * 1024 && !response.destroyed) {
          sent += 16_384;
          if (!response.write('x'.repeat(16_384))) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    expect(delivery).toMatchObject({ state: 'succeeded', truncated: true });
    expect(delivery.response?.body).toHaveLength(16 * 1024);
    expect(sent).toBeLessThan(10 * 1024 * 1024);
  });

  it('stays compressed when it comes compressed', async () => {
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024));
    const { delivery } = await deliverTo((response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' }).end(bomb);
    });
    expect(delivery.state).toBe('succeeded');
    expect(String(delivery.response?.body).length).toBeLessThanOrEqual(bomb.length);
  });

  it('ends at the deadline when it drips, and counts by its status', async () => {
    const drips: Behaviour = (response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const drip = setInterval(() => response.write('.'), 20);
      response.once('close', () => clearInterval(drip));
    };
    const { delivery } = await deliverTo(drips, { timeout: 600 });
    expect(delivery).toMatchObject({ state: 'succeeded', truncated: true, response: { statusCode: 200 } });
    expect(delivery.attempts[0]?.duration['total']).toBeLessThan(10_000);
  });

  it.each([
    ['102 Processing', (response: ServerResponse) => response.writeProcessing()],
    ['103 Early Hints', (response: ServerResponse) => response.writeEarlyHints({ link: '</a.css>; rel=preload' })],
  ])('follows a preliminary %s, which is ignored', async (_, before) => {
    const { delivery } = await deliverTo((response) => {
      before(response);
      response.end('fine');
    });
    expect(delivery).toMatchObject({ state: 'succeeded', response: { statusCode: 200, body: 'fine' } });
  });

  it('fails the attempt when it is a redirect, which is not followed', async () => {
    const inside = await startReceiver();
    const { delivery } = await deliverTo(status(302, { location: inside.url('/secret') }));
    expect(delivery).toMatchObject({ state: 'pending', response: { statusCode: 302 } });
    expect(inside.calls).toHaveLength(0);
    await inside.close();
  });
});

describe('delivery without an answer', () => {
  const faultOf = async (behaviour: Behaviour, timeout?: number) => {
    const { delivery } = await deliverTo(behaviour, timeout === undefined ? {} : { timeout });
    expect(delivery).toMatchObject({ state: 'pending', attempts_made: 1, response: null });
    return delivery.error?.code;
  };

  it('fails with TIMEOUT when the receiver hangs', async () => {
    expect(await faultOf(() => undefined, 600)).toBe('TIMEOUT');
  });

  it('fails with RESET when the receiver resets the connection', async () => {
    expect(await faultOf((response) => response.socket?.resetAndDestroy())).toBe('RESET');
  });

  it('fails with RESET when the receiver closes the connection without an answer', async () => {
    expect(await faultOf((response) => response.destroy())).toBe('RESET');
  });

  it('fails with PROTOCOL when the answer is not HTTP', async () => {
    expect(await faultOf((response) => response.socket?.end('SSH-2.0-OpenSSH_9.9\r\n'))).toBe('PROTOCOL');
  });

  it('fails with PROTOCOL when the headers of the answer do not end', async () => {
    expect(
      await faultOf((response) => response.socket?.end(`HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(100_000)}\r\n\r\n`)),
    ).toBe('PROTOCOL');
  });

  it('fails with PROTOCOL when 100 Continue comes unasked', async () => {
    const { delivery } = await deliverTo((response) => {
      response.writeContinue();
      response.end('fine');
    });
    expect(delivery).toMatchObject({
      state: 'pending',
      error: { code: 'PROTOCOL', message: 'The receiver sent 100 Continue without being asked.' },
    });
  });

  it('fails with PROTOCOL when the receiver switches the protocol', async () => {
    const { delivery } = await deliverTo((response) =>
      response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'),
    );
    expect(delivery.error).toEqual({
      code: 'PROTOCOL',
      message: 'The receiver changed the protocol without being asked.',
    });
  });

  it('fails with REFUSED when nothing listens', async () => {
    const receiver = await startReceiver();
    const hooks = await world.open();
    const subject = await world.subject({ url: receiver.url() });
    await receiver.close();
    await world.store(hooks, subject);
    const [delivery] = await world.until(subject, settled);
    expect(delivery).toMatchObject({ response: null, error: { code: 'REFUSED' } });
  });
});

describe('delivery to a receiver with a self-signed certificate', () => {
  const tls = {
    key: readFileSync('test/data/tls/key.pem', 'utf8'),
    cert: readFileSync('test/data/tls/cert.pem', 'utf8'),
  };

  it('fails with TLS unless the hook allows unverified certificates', async () => {
    const receiver = await startReceiver(fine, tls);
    const hooks = await world.open();
    const careful = await world.subject({ url: receiver.url() });
    const trusting = await world.subject({ url: receiver.url(), allow_unverified_ssl_cert: true });
    await world.store(hooks, trusting);
    await world.until(trusting, settled);
    await world.store(hooks, careful);
    const [refused] = await world.until(careful, settled);
    expect(refused).toMatchObject({ response: null, error: { code: 'TLS' } });
    expect(await world.deliveries(trusting)).toMatchObject([{ state: 'succeeded' }]);
    expect(receiver.calls).toHaveLength(1);
    await receiver.close();
  });
});
