import { once } from 'node:events';
import { constants, createGzip, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { useService } from '../../support/service.js';
import { createTenant, type Tenant } from '../../support/tenant.js';
import { SlowSender } from '../slow-sender.js';

const mebibyte = 2 ** 20;

/** Returns a gzip body without its end, which can be decompressed and may continue. */
async function unendedGzip(text: string): Promise<Buffer> {
  const gzip = createGzip();
  const chunks: Buffer[] = [];
  gzip.on('data', (chunk: Buffer) => chunks.push(chunk));
  gzip.write(text);
  await new Promise<void>((resolve) => gzip.flush(constants.Z_SYNC_FLUSH, resolve));
  return Buffer.concat(chunks);
}

const headersOf = (tenant: Tenant) => ({
  Authorization: `Bearer ${tenant.owner.token}`,
  'Content-Type': 'application/json',
});
const pathOf = (tenant: Tenant) => `/ddp/v1/organizations/${tenant.id}/records`;

describe('request bodies that never end', () => {
  const service = useService({});
  let attacker: Tenant;
  let neighbour: Tenant;
  beforeAll(async () => {
    [attacker, neighbour] = [await createTenant(service), await createTenant(service)];
  });

  it('returns 429 beyond 32 MiB per token: 200 gzip bodies of 10 kB', async () => {
    const body = await unendedGzip(`[${' '.repeat(9.9 * mebibyte)}`);
    expect(body.length).toBeLessThan(12_000);
    const before = process.memoryUsage().rss;
    const senders = await Promise.all(Array.from({ length: 200 }, () => SlowSender.to(service.url)));
    const headers = { ...headersOf(attacker), 'Content-Encoding': 'gzip' };
    for (const sender of senders) sender.begin(pathOf(attacker), headers).chunk(body);
    const refused: SlowSender[] = [];
    const waits = senders.map(async (sender) => {
      if ((await sender.status()) === 429) refused.push(sender);
      if (refused.length >= 197) for (const each of senders) each.leave();
    });
    await Promise.all(waits);
    expect(process.memoryUsage().rss - before).toBeLessThan(600 * mebibyte);
    expect(refused.length).toBeGreaterThanOrEqual(197);
    expect(refused[0]!.answer).toMatch(/This token would have 32\.\d MiB of request bodies in flight; at most 32 MiB/);
    expect(refused[0]!.answer).toMatch(/retry-after: 1/i);
  }, 180_000);

  it("frees the token's share when they are gone, and leaves other organizations their own", async () => {
    const body = gzipSync(`[${' '.repeat(9.9 * mebibyte)}]`);
    const open = await unendedGzip(`[${' '.repeat(9.9 * mebibyte)}`);
    const headers = { ...headersOf(attacker), 'Content-Encoding': 'gzip' };
    const send = (tenant: Tenant) =>
      tenant.owner.request('POST', `/organizations/${tenant.id}/records`, {
        headers: { 'content-encoding': 'gzip' },
        body,
      });
    const senders: SlowSender[] = [];
    while ((await send(attacker)).status !== 429) {
      const sender = await SlowSender.to(service.url);
      senders.push(sender.begin(pathOf(attacker), headers).chunk(open));
    }
    expect(await send(neighbour)).toMatchObject({ status: 200 });
    for (const sender of senders) sender.leave();
    let status = 0;
    while (status !== 200) ({ status } = await send(attacker));
  }, 180_000);

  it('returns 413 by memory used when a body comes in chunks of one byte', async () => {
    const sender = await SlowSender.to(service.url);
    sender.begin(pathOf(attacker), headersOf(attacker));
    sender.chunk(Buffer.from('['));
    // A chunk of one byte takes about 200 bytes of memory: 170,000 chunks take 32 MiB, although they carry far less
    // than the 10 MiB that a body may have.
    const chunks = '1\r\n \r\n'.repeat(5000);
    for (let count = 0; count < 60 && !sender.answer; count++) {
      if (!sender.socket.write(chunks)) await Promise.race([once(sender.socket, 'drain'), sender.status()]);
    }
    expect(await sender.status()).toBe(413);
    expect(sender.answer).toMatch(/This request body has 32\.\d MiB; at most 32 MiB may be held/);
    sender.leave();
  }, 180_000);

  it('returns 429 at /graphql too', async () => {
    const senders = await Promise.all(Array.from({ length: 150 }, () => SlowSender.to(service.url)));
    for (const sender of senders) {
      sender.begin('/graphql', headersOf(attacker)).chunk(Buffer.alloc(255 * 1024, ' '));
    }
    expect(await Promise.race(senders.map((sender) => sender.status()))).toBe(429);
    for (const sender of senders) sender.leave();
  }, 180_000);
});
