import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { readConfig } from '#config/config.js';
import { ended, startCommand } from '../../support/command.js';
import { useWorld } from '../../support/world.js';
import { mailOrigin } from '../mail-server.js';
import { type Site, someAddress, useMailWorld } from '../mail-world.js';

/** Only the processes that the tests start send mails. */
const world = useMailWorld({ sends: false });
const started: ChildProcess[] = [];
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await Promise.all(started.map(ended));
});

const serve = async (): Promise<{ child: ChildProcess; url: string }> => {
  const child = startCommand(['serve', '--json'], {
    DATABASE_URL: world.databaseUrl,
    SECRET_KEY: 'a key for tests',
    PORT: '0',
    RATE_LIMIT: '0',
    LOG_LEVEL: 'fatal',
    PUBLIC_URL: mailOrigin,
    SMTP_URL: `smtp://ddp:password@127.0.0.1:${world.server.config.port}`,
  });
  started.push(child);
  const [line] = (await once(createInterface(child.stdout!), 'line')) as [string];
  return { child, url: (JSON.parse(line) as { url: string }).url };
};
const end = async (child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM') => {
  child.kill(signal);
  await ended(child);
};

/** Creates a rule whose recipients are confirmed already. */
const confirm = async (site: Site, addresses: string[]) => {
  await world.pool.query(sql`
    insert into alert_recipient (id, organization_id, address, state, since)
    select gen_random_uuid(), ${site.owner.id}, address, 'confirmed', now() from unnest(${addresses}::text[]) address`);
  await site.rule(addresses);
};
const poll = async (reached: () => boolean) => {
  while (!reached()) await new Promise((resolve) => setTimeout(resolve, 50));
};

describe('alert mails of several processes', () => {
  it('sends a mail from another process after one is killed while sending', async () => {
    const first = await serve();
    const site = await world.site(first.url);
    const address = someAddress();
    await confirm(site, [address]);
    world.server.hangs = true;
    const before = world.server.attempts(address);
    await site.send(9);
    await poll(() => world.server.attempts(address) > before);
    await end(first.child, 'SIGKILL');
    world.server.hangs = false;
    const { rows } = await world.pool.query<{ left: number }>(sql`
      select extract(epoch from locked_until - now())::float8 as left from alert_recipient where address = ${address}`);
    expect(rows[0]!.left).toBeGreaterThan(60);
    // Lets the lease of the killed process expire.
    await world.pool.query(sql`update alert_recipient set locked_until = now() where address = ${address}`);
    const second = await serve();
    const [mail] = await world.mailsTo(address, 1);
    expect(mail!.header('Subject')).toBe('Critical: Too warm, Freezer 3');
    await end(second.child, 'SIGTERM');
  }, 120_000);

  it('sends each mail once when several processes run', async () => {
    const processes = await Promise.all([serve(), serve()]);
    const site = await world.site(processes[0].url);
    const addresses = Array.from({ length: 20 }, someAddress);
    await confirm(site, addresses);
    await site.send(9);
    await Promise.all(addresses.map((address) => world.mailsTo(address, 1)));
    await Promise.all(processes.map(({ child }) => end(child, 'SIGTERM')));
    const notices = world.server.mails.filter(({ to }) => addresses.includes(to[0]!));
    expect(notices.map(({ to }) => to[0]).toSorted()).toEqual(addresses.toSorted());
  }, 120_000);

  it('stores records without a delay while the mail server hangs', async () => {
    const { child, url } = await serve();
    const site = await world.site(url);
    const addresses = Array.from({ length: 20 }, someAddress);
    await confirm(site, addresses);
    world.server.hangs = true;
    await site.send(9);
    await poll(() => addresses.some((address) => world.server.attempts(address) > 0));
    for (let round = 0; round < 50; round++) await site.send(round % 2 === 0 ? 1 : 9);
    const { rows } = await world.pool.query<{ waiting: number; failed: number }>(sql`
      select (select sum(m.count)::int from alert_mail m join alert_recipient r on r.id = m.recipient_id
               where r.organization_id = ${site.owner.id}) waiting,
             (select count(*)::int from alert_recipient where organization_id = ${site.owner.id} and failures > 0) failed`);
    expect(rows[0]).toEqual({ waiting: 51 * addresses.length, failed: 0 });
    world.server.hangs = false;
    await end(child, 'SIGKILL');
  }, 120_000);
});

describe('pages for links in alert mails', () => {
  const settings = { PORT: '0', RATE_LIMIT: '1', PUBLIC_URL: mailOrigin, SMTP_URL: 'smtp://127.0.0.1:9' };
  const limited = useWorld({ config: readConfig(settings) });

  it('returns 429 to an address at the rate limit for unknown callers', async () => {
    const get = async () => (await fetch(`${limited.url}/alerts/mail/stop?token=x`, { method: 'POST' })).status;
    const statuses = await Promise.all(Array.from({ length: 20 }, get));
    expect(new Set(statuses)).toEqual(new Set([404, 429]));
  });
});
