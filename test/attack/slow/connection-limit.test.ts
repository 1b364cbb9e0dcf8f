import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { readConfig } from '#config/config.js';
import { useService } from '../../support/service.js';
import { SlowSender } from '../slow-sender.js';

const maxConnections = 8;
const service = useService({ config: { http: { ...readConfig({}).http, maxConnections } } });

const connectAll = (count: number) => Promise.all(Array.from({ length: count }, () => SlowSender.to(service.url)));

/** Asks for /healthz and returns the status. */
const ask = async (sender: SlowSender): Promise<number | undefined> => {
  sender.socket.write('GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n');
  return sender.status();
};

/**
 * Opens the maximum number of connections, each of which is answered. Connections of an earlier test may still be
 * closing.
 */
async function fill(): Promise<SlowSender[]> {
  const open: SlowSender[] = [];
  while (open.length < maxConnections) {
    const sender = await SlowSender.to(service.url);
    if ((await ask(sender)) === 200) open.push(sender);
    else sender.leave();
  }
  return open;
}

describe('MAX_CONNECTIONS', () => {
  it('returns 503 to one more connection, serves the open ones, and accepts new ones when one closes', async () => {
    const open = await fill();
    const refused = await request(`${service.url}/ddp/v1/account`, { method: 'POST', body: 'x'.repeat(100_000) });
    expect({ status: refused.statusCode, wait: refused.headers['retry-after'] }).toEqual({ status: 503, wait: '1' });
    expect(await refused.body.json()).toMatchObject({ code: 'UNAVAILABLE' });
    open[0]!.socket.write('GET /nowhere HTTP/1.1\r\nHost: test\r\n\r\n');
    await once(open[0]!.socket, 'data');
    expect(open[0]!.answer).toContain('404 Not Found');
    for (const sender of open) sender.leave();
    for (const sender of await fill()) sender.leave();
  });

  it('closes refused connections whatever arrives on them', async () => {
    const open = await fill();
    const idle = await connectAll(20);
    expect(await Promise.all(idle.map((sender) => sender.status()))).toEqual(idle.map(() => 503));
    const [silent] = await connectAll(1);
    silent!.begin('/ddp/v1/account', {});
    if (!silent!.socket.destroyed) await once(silent!.socket, 'close');
    for (const sender of [...open, ...idle]) sender.leave();
  });
});
