import { stdout } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Client, createClient } from 'graphql-ws';
import { Pool } from 'undici';
import { AccountType } from '#entities/enums.js';
import { createAccount } from '#operator/account.js';
import { createToken } from '#operator/token.js';
import { median } from './figures.js';
import { type BenchFleet, furnish } from './fleet.js';
import { openStage, type Stage } from './stage.js';

/** Maximum number of subscriptions per connection. */
const perConnection = 20;
/** Number of records per call, and number of concurrent calls. */
const [ofCall, underWay] = [100, 4];
/** Time after which a burst counts as lost, in milliseconds. */
const patience = 60_000;

/** An organization that sends and subscribes. */
interface Tenant {
  origin: string;
  organizationId: string;
  token: string;
  fleet: BenchFleet;
}

/** One subscription: the number of records received and missed, and the time of the last one. */
interface Heard {
  expected: number;
  told: number;
  missed: number;
  last: number;
}

/**
 * Sends a burst of one organization's records to its own subscriptions, some of them with a query; once alone, and once
 * while another organization's subscriptions have slow queries. Prints the number of records received and missed, and
 * the delay of the last one. `--records N` (10000), `--filtered N` (20), `--plain N` (5), `--rounds N` (5), `--workers
 * N` (1).
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options });
  const size = { records: Number(values.records), filtered: Number(values.filtered), plain: Number(values.plain) };
  const stage = await openStage({ WORKERS: values.workers });
  try {
    const tenant = await tenantOf(stage);
    const other = await tenantOf({ ...stage, ...(await addOrganization(stage)) });
    const lateness: [number[], number[]] = [[], []];
    // The first round only warms up.
    for (let round = 0; round <= Number(values.rounds); round++) {
      for (const [beside, figures] of lateness.entries()) {
        const disturbance = beside === 1 ? await disturb(other) : undefined;
        const late = await burst(tenant, size, `round ${round}${beside ? ', beside slow queries' : ''}`);
        await disturbance?.();
        if (round > 0) figures.push(late);
      }
    }
    const [alone, beside] = lateness.map(median) as [number, number];
    const ratio = median(lateness[1].map((late, round) => late / lateness[0][round]!));
    stdout.write(
      `\nlast record told after ${Math.round(alone)} ms alone, ${Math.round(beside)} ms beside slow queries: ${ratio.toFixed(2)} times as late\n`,
    );
  } finally {
    await stage.close();
  }
}

const options = {
  records: { type: 'string', default: '10000' },
  filtered: { type: 'string', default: '20' },
  plain: { type: 'string', default: '5' },
  rounds: { type: 'string', default: '5' },
  workers: { type: 'string', default: '1' },
} as const;

const addOrganization = async ({ pool }: Stage): Promise<{ organizationId: string; token: string }> => {
  const wanted = { username: 'slow', email: 'slow@example.com' };
  const organizationId = await createAccount(pool, AccountType.organization, wanted, new Date());
  const { token } = await createToken(pool, { organizationId }, new Date());
  return { organizationId, token };
};

const tenantOf = async (stage: Stage): Promise<Tenant> => ({
  origin: new URL(stage.base).origin,
  organizationId: stage.organizationId,
  token: stage.token,
  fleet: await furnish(stage, 20),
});

/**
 * Sends a burst.
 * @returns milliseconds from its first call until the last record was received.
 */
async function burst(
  tenant: Tenant,
  { records, filtered, plain }: { records: number; filtered: number; plain: number },
  title: string,
): Promise<number> {
  const half = records / 2;
  const queries = Array.from({ length: filtered }, (_, index) => {
    const gte = half + Math.floor((half * index) / filtered);
    return { query: { range: { 'data.temperature': { gte } } }, expected: records - gte };
  });
  const wanted = [...queries, ...Array.from({ length: plain }, () => ({ query: undefined, expected: records }))];
  const { heard, end } = await subscribe(tenant, wanted);
  const begun = performance.now();
  await send(tenant, records);
  const sent = performance.now() - begun;
  while (heard.some(({ told, missed, expected }) => told + missed < expected)) {
    if (performance.now() - begun > patience) break;
    await pause(10);
  }
  await end();
  const late = Math.max(...heard.map(({ last }) => last)) - begun;
  const some = (from: number, to: number) => {
    const part = heard.slice(from, to);
    const sum = (of: (one: Heard) => number) => part.reduce((all, one) => all + of(one), 0);
    return `${sum(({ told }) => told)} of ${sum(({ expected }) => expected)} told, ${sum(({ missed }) => missed)} missed`;
  };
  stdout.write(
    `${title}: sent in ${Math.round(sent)} ms; with a query ${some(0, filtered)}; without ${some(filtered, heard.length)}; last after ${Math.round(late)} ms\n`,
  );
  return late;
}

/** Subscribes to the tenant's application. Resolves once each subscription has received its first batch. */
async function subscribe(
  { origin, token, organizationId, fleet: { applicationId } }: Tenant,
  wanted: readonly { query: object | undefined; expected: number }[],
): Promise<{ heard: readonly Heard[]; end(): Promise<void> }> {
  const document = `subscription ($query: JSONObject) {
    recordReceived(organizationId: "${organizationId}", applicationId: "${applicationId}", query: $query, limit: 500) { missed records { id } } }`;
  const clients: Client[] = [];
  const begun: Promise<void>[] = [];
  const heard = wanted.map(({ query, expected }, index) => {
    const one: Heard = { expected, told: 0, missed: 0, last: 0 };
    if (index % perConnection === 0) clients.push(clientOf(origin, token));
    const { promise, resolve } = Promise.withResolvers<void>();
    begun.push(promise);
    clients.at(-1)!.subscribe<{ recordReceived: { missed: number; records: object[] } }>(
      { query: document, ...(query && { variables: { query } }) },
      {
        next({ data, errors }) {
          if (!data) throw new Error(JSON.stringify(errors));
          one.told += data.recordReceived.records.length;
          one.missed += data.recordReceived.missed;
          one.last = performance.now();
          resolve();
        },
        error(error) {
          throw error instanceof Error ? error : new Error(`A subscription ended: ${JSON.stringify(error)}`);
        },
        complete: () => undefined,
      },
    );
    return one;
  });
  await Promise.all(begun);
  const end = async () => {
    for (const client of clients) await client.dispose();
  };
  return { heard, end };
}

const clientOf = (origin: string, token: string): Client =>
  createClient({
    url: `${origin.replace(/^http/, 'ws')}/graphql`,
    connectionParams: { authorization: `Bearer ${token}` },
  });

/** Posts records as fast as the service accepts them. */
async function send({ origin, token, organizationId, fleet: { serials } }: Tenant, records: number): Promise<void> {
  const pool = new Pool(origin, { connections: underWay });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const path = `/ddp/v1/organizations/${organizationId}/records`;
  let next = 0;
  const work = async () => {
    while (next < records) {
      const from = next;
      next += ofCall;
      const items = Array.from({ length: Math.min(ofCall, records - from) }, (_, index) => ({
        serial: serials[(from + index) % serials.length],
        metadata: { rssi: -60, provider: 'lora' },
        data: { temperature: from + index, humidity: 40, status: 'ok' },
      }));
      const response = await pool.request({ method: 'POST', path, headers, body: JSON.stringify(items) });
      const text = await response.body.text();
      if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: underWay }, work));
  await pool.close();
}

/**
 * Subscribes with twenty queries that run out of time, and sends them 500 records a second. Resolves to the function
 * that stops both.
 */
async function disturb(tenant: Tenant): Promise<() => Promise<void>> {
  const slow = Array.from({ length: 20 }, (_, index) => ({
    query: { regexp: { 'data.status': { value: `.*a.{90}a.{90}a.{60}c${index}` } } },
    expected: 0,
  }));
  const { end } = await subscribe(tenant, slow);
  const stop = new AbortController();
  const { origin, token, organizationId, fleet } = tenant;
  const sending = (async () => {
    while (!stop.signal.aborted) {
      const items = fleet.serials.slice(0, 5).map((serial) => ({ serial, data: { status: 'a'.repeat(1000) } }));
      const response = await fetch(`${origin}/ddp/v1/organizations/${organizationId}/records`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(items),
      });
      await response.text();
      await pause(10);
    }
  })();
  // The disturbing queries must run when the burst begins.
  await pause(1000);
  return async () => {
    stop.abort();
    await sending;
    await end();
  };
}
