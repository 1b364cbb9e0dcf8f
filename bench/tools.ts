import { stdout } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { callAs, type FileImport, openNeighbor, serialOf } from './import.js';
import { openStage, type Stage } from './stage.js';

/** Number of operations in a batch, and number of devices in a call that puts devices. */
const [operationsAtOnce, devicesAtOnce] = [100, 1000];

/**
 * Registers, links and tags devices as an internal tool would, under the default limits: by `putDevices`, by batches of
 * single operations, and as CSV; then changes 10,000 devices in batches. Measures the duration, the number of 429
 * responses, and another organization's single posts meanwhile. `tools 5000 100000`: the sizes of the fleet.
 */
export async function run(args: readonly string[]): Promise<void> {
  const sizes = args.length > 0 ? args.map(Number) : [5000, 100_000];
  const stage = await openStage({ RATE_LIMIT: '500' });
  try {
    const post = await openNeighbor(stage);
    const call = callAs(stage, stage.token);
    const { id } = await call<{ id: string }>(
      `/organizations/${stage.organizationId}/applications`,
      '{"name":"Fleet"}',
    );
    // A new process runs code that is not yet compiled.
    await byPut(stage, id, serials(0xf0_0000, 2000));
    await report('nothing', 0, post, () => delay(3000));
    let next = 0;
    for (const size of sizes)
      for (const [name, register] of Object.entries({ putDevices: byPut, batches: byBatch, CSV: byFile })) {
        const fleet = serials(next, size);
        next += size;
        await report(name, size, post, () => register(stage, id, fleet));
      }
    const ids = (
      await stage.pool.query<{ id: string }>('select id from device where organization_id = $1 limit 10000', [
        stage.organizationId,
      ])
    ).rows;
    await report('single updates in batches', ids.length, post, () =>
      changeAll(
        stage,
        ids.map((row) => row.id),
      ),
    );
  } finally {
    await stage.close();
  }
}

const serials = (from: number, count: number) => Array.from({ length: count }, (_, index) => serialOf(from + index));

const chunks = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));

let refused = 0;

/** Sends a request to the graph, and waits as long as `Retry-After` says. */
async function graph(stage: Stage, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${stage.token}`, 'content-type': 'application/json' };
  const address = new URL('/graphql', stage.base);
  for (;;) {
    const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.clone().text();
    if (response.status === 429) {
      refused += 1;
      await delay(1000 * Number(response.headers.get('retry-after')));
    } else if (!response.ok || text.includes('"errors":[{"message')) throw new Error(text.slice(0, 1000));
    else return response;
  }
}

const putDevices = `mutation ($o: ID!, $devices: [DeviceInput!]!, $linkTo: [ID!]) {
  putDevices(organizationId: $o, devices: $devices, linkTo: $linkTo) { created failed } }`;

const byPut = async (stage: Stage, applicationId: string, fleet: readonly string[]): Promise<void> => {
  for (const part of chunks(fleet, devicesAtOnce)) {
    const devices = part.map((serial) => ({ serial, name: `Pump ${serial}`, tags: ['north', 'well'] }));
    await graph(stage, {
      query: putDevices,
      variables: { o: stage.organizationId, devices, linkTo: [applicationId] },
    });
  }
};

const registerDevice = `mutation ($o: ID!, $serial: Serial!) {
  registerDevice(organizationId: $o, deviceSerial: $serial, name: "Pump", tags: ["north", "well"]) { id } }`;
const linkDevices = `mutation ($o: ID!, $a: ID!, $serials: [Serial!]) {
  linkDevices(organizationId: $o, applicationId: $a, serials: $serials) { changed } }`;

const byBatch = async (stage: Stage, a: string, fleet: readonly string[]): Promise<void> => {
  const o = stage.organizationId;
  const extensions = { concurrent: true };
  for (const part of chunks(fleet, operationsAtOnce))
    await graph(
      stage,
      part.map((serial) => ({ query: registerDevice, variables: { o, serial }, extensions })),
    );
  for (const part of chunks(fleet, devicesAtOnce))
    await graph(stage, { query: linkDevices, variables: { o, a, serials: part } });
};

const byFile = async (stage: Stage, applicationId: string, fleet: readonly string[]): Promise<void> => {
  const call = callAs(stage, stage.token);
  const at = `/organizations/${stage.organizationId}/imports`;
  const lines = fleet.map((serial) => `${serial},Pump ${serial},north;well,${applicationId}`);
  const file = ['serial,name,tags,application', ...lines].join('\n');
  let found = await call<FileImport>(`${at}/devices?dryRun=false`, file, 'text/csv');
  for (; found.state === 'applying'; found = await call<FileImport>(`${at}/${found.id}`)) await delay(200);
};

const updateDevice = `mutation ($o: ID!, $id: ID!, $name: String) {
  updateDevice(organizationId: $o, deviceId: $id, name: $name) { id } }`;

/**
 * Changes devices one by one, in batches. Before a batch that exceeds the rate limit's remaining allowance, according
 * to the headers, it waits.
 */
const changeAll = async (stage: Stage, ids: readonly string[]): Promise<void> => {
  const o = stage.organizationId;
  let cost = operationsAtOnce;
  let left = Number.POSITIVE_INFINITY;
  for (const part of chunks(ids, operationsAtOnce)) {
    const batch = part.map((id) => ({
      query: updateDevice,
      variables: { o, id, name: `Changed ${id}` },
      extensions: { concurrent: true },
    }));
    const { headers } = await graph(stage, batch);
    const remaining = Number(headers.get('x-ratelimit-remaining'));
    if (remaining < left && Number.isFinite(left)) cost = left - remaining;
    left = remaining;
    if (left > cost) continue;
    await delay(1000 * Number(headers.get('x-ratelimit-reset')));
    left = Number.POSITIVE_INFINITY;
  }
};

/** Measures work, and its effect on another organization's posts. */
async function report(name: string, count: number, post: () => Promise<unknown>, work: () => Promise<unknown>) {
  const waits: number[] = [];
  let isOver = false;
  const watch = async () => {
    for (; !isOver; await delay(20)) {
      const begun = performance.now();
      await post();
      waits.push(performance.now() - begun);
    }
  };
  const watching = watch();
  refused = 0;
  const begun = performance.now();
  try {
    await work();
  } finally {
    isOver = true;
    await watching;
  }
  const seconds = (performance.now() - begun) / 1000;
  waits.sort((a, b) => a - b);
  const wait = (share: number) => waits[Math.floor((waits.length - 1) * share)]!.toFixed(0);
  stdout.write(
    `  ${name.padEnd(28)} ${count.toLocaleString('en').padStart(8)} in ${seconds.toFixed(1).padStart(6)} s, ${Math.round(
      count / seconds,
    )
      .toLocaleString('en')
      .padStart(
        6,
      )} a second, ${refused} answers 429; another organization's posts ${wait(0.5)} ms (p50), ${wait(0.99)} ms (p99)\n`,
  );
}
