import { afterEach, describe, expect, it } from '@jest/globals';
import { useMqtt } from '../mqtt-world.js';
import { RawClient } from '../raw-client.js';

/** Silent and slow clients are cut off after a second. */
const world = useMqtt({ REQUEST_TIMEOUT: '1s' });
const clients: RawClient[] = [];
const keep = (client: RawClient) => {
  clients.push(client);
  return client;
};
const letIn = async (version: 4 | 5 = 4) => keep(await RawClient.as(world.deviceToken, world.url, version));
afterEach(async () => {
  for (const client of clients) client.leave();
  await Promise.all(clients.splice(0).map((client) => client.closed()));
});

describe('a client with a token', () => {
  it('that does not fetch what it is sent is cut off', async () => {
    const client = await letIn();
    client.socket.pause();
    const pings = Buffer.alloc(64 * 1024, Buffer.from([0xc0, 0]));
    let left = false;
    const closed = client.closed().then(() => (left = true));
    const { socket } = client;
    while (!left)
      if (!socket.write(pings)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
    expect(await closed).toBe(true);
  }, 120_000);
});
