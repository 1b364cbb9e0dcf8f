import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import sql from 'sql-template-tag';
import { Pool } from 'undici';
import type { BenchFleet } from './fleet.js';
import type { Stage } from './stage.js';

/** Latencies of each surface in milliseconds. Each call is timed from the moment at which it was due. */
export type Latencies = Readonly<Record<string, number[]>>;

/** The results of one measurement. */
export interface Measured {
  latencies: Latencies;
  /** Calls with a wrong answer. */
  failures: readonly string[];
  /** Longest time of `/healthz`, in milliseconds. */
  health: number;
}

/** The measured tenant. Its application has a hook. */
export interface Quiet {
  stage: Stage;
  fleet: BenchFleet;
  hookId: string;
}

/**
 * Interval between two calls of one surface, in milliseconds: eight per second, so that all surfaces together stay
 * below a token's rate limit.
 */
const interval = 125;

/** Measures every surface at once, with calls that start on schedule without waiting for earlier answers. */
export async function measure(quiet: Quiet, seconds: number): Promise<Measured> {
  const { stage, hookId } = quiet;
  const clients: Pool[] = [];
  const latencies: Record<string, number[]> = {};
  const failures: string[] = [];
  const note = (surface: string, milliseconds: number) => void (latencies[surface] ??= []).push(milliseconds);
  const live = await watch(quiet, (milliseconds) => note('live feed', milliseconds));
  const begun = Date.now();
  let health = 0;
  const every = async (name: string, gap: number, ask: (due: number) => Promise<void>) => {
    const calls: Promise<void>[] = [];
    const from = performance.now();
    for (let due = from; due < from + seconds * 1000; due += gap) {
      await pause(Math.max(0, due - performance.now()));
      calls.push(ask(due).catch((error: unknown) => void failures.push(`${name}: ${String(error).slice(0, 200)}`)));
    }
    await Promise.all(calls);
  };
  // Each surface has connections of its own, so that a slow one does not delay the calls of another.
  const caller = () => {
    const client = new Pool(new URL(stage.base).origin, { connections: 64 });
    clients.push(client);
    return (path: string, body?: string) => call(client, path, body);
  };
  const call = async (client: Pool, path: string, body?: string) => {
    const headers = { authorization: `Bearer ${stage.token}`, 'content-type': 'application/json' };
    const answer = await client.request({ method: body ? 'POST' : 'GET', path, headers, ...(body && { body }) });
    const text = await answer.body.text();
    if (answer.statusCode !== 200 || /^\{"errors"|"(timed_out":true|rejected":1)/.test(text))
      throw new Error(`${answer.statusCode} ${text}`);
  };
  const surfaces = Object.entries(callsOf(quiet)).map(([name, { path, body }]) => {
    const ask = caller();
    return every(name, interval, async (due) => {
      await ask(path, body?.());
      note(name, performance.now() - due);
    });
  });
  const ask = caller();
  const healthy = every('/healthz', 50, async (due) => {
    await ask('/healthz');
    health = Math.max(health, performance.now() - due);
  });
  await Promise.all([...surfaces, healthy]);
  // The records stored last are still being delivered.
  await pause(3000);
  live();
  await Promise.all(clients.map((client) => client.destroy()));
  latencies['hook delivery'] = await delivered(stage, hookId, begun);
  return { latencies, failures, health };
}

const callsOf = ({
  stage: { organizationId, allTime },
  fleet: { applicationId, serials },
}: Quiet): Record<string, { path: string; body?: () => string }> => {
  const rest = '/ddp/v1';
  const mean = { mean: { avg: { field: 'data.temperature' } } };
  const hours = { hours: { date_histogram: { field: 'ts', fixed_interval: '1h' }, aggs: mean } };
  const query = `query ($o: ID!, $a: ID!) { application(organizationId: $o, applicationId: $a) {
    name devices(limit: 5) { items { serial product { name } } } } }`;
  const search = {
    ts: allTime,
    queries: [
      { products: [], size: 10 },
      { products: [], size: 0, aggs: hours },
    ],
  };
  return {
    'REST, get': { path: `${rest}/applications/${organizationId}/${applicationId}` },
    'REST, list': { path: `${rest}/organizations/${organizationId}/devices` },
    ingestion: {
      path: `${rest}/organizations/${organizationId}/records`,
      body: () => JSON.stringify({ serial: serials[0], metadata: { sent: Date.now() }, data: { temperature: 21.5 } }),
    },
    search: {
      path: `${rest}/applications/${organizationId}/${applicationId}/search`,
      body: () => JSON.stringify(search),
    },
    graph: {
      path: '/graphql',
      body: () => JSON.stringify({ query, variables: { o: organizationId, a: applicationId } }),
    },
  };
};

/** Subscribes to the tenant's records. Returns the function that ends the subscription. */
const watch = async (
  { stage: { base, token, organizationId }, fleet: { applicationId } }: Quiet,
  note: (milliseconds: number) => void,
): Promise<() => void> => {
  const client = createClient({
    url: `${new URL(base).origin.replace(/^http/, 'ws')}/graphql`,
    connectionParams: { authorization: `Bearer ${token}` },
  });
  const query = `subscription { recordReceived(organizationId: "${organizationId}", applicationId: "${applicationId}") { records { metadata } } }`;
  client.subscribe<{ recordReceived: { records: { metadata: { sent: number } }[] } }>(
    { query },
    {
      next({ data }) {
        for (const { metadata } of data?.recordReceived.records ?? []) note(Date.now() - metadata.sent);
      },
      error: (error) => {
        throw new Error(`The live feed ended: ${JSON.stringify(error)}`);
      },
      complete: () => undefined,
    },
  );
  await pause(500);
  return () => void client.dispose();
};

/** Returns the times from the ingestion call to the receiver's answer, for all records sent since a time. */
const delivered = async ({ pool }: Stage, hookId: string, since: number): Promise<number[]> => {
  const { rows } = await pool.query<{ ms: number | null }>(sql`
    select case when done then extract(epoch from (attempts -> 0 ->> 'at')::timestamptz) * 1000
             + (attempts -> 0 -> 'duration' ->> 'total')::double precision - sent end as ms
      from delivery cross join lateral (
        select (payload -> 'record' -> 'metadata' ->> 'sent')::double precision sent) s
     where hook_id = ${hookId} and sent >= ${since}`);
  return rows.map(({ ms }) => Number(ms ?? Number.POSITIVE_INFINITY));
};
