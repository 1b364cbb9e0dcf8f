import { stdout } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { AccountType } from '#entities/enums.js';
import { createAccount } from '#operator/account.js';
import { createToken } from '#operator/token.js';
import { resident } from './resident.js';
import { openStage, type Stage } from './stage.js';

/** The measured fields of an import. */
export interface FileImport {
  id: string;
  state: string;
  created: number;
}

/** Calls a service as one organization. */
type Call = <Body>(path: string, body?: string, type?: string) => Promise<Body>;

/**
 * Imports a fleet and its history as CSV over HTTP. Measures the duration, the service's resident memory, and the
 * duration of another organization's single posts meanwhile. `--devices N` (100,000), `--rows N` (1 million).
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { devices: { type: 'string', default: '100000' }, rows: { type: 'string', default: '1000000' } },
  });
  const [devices, rows] = [Number(values.devices), Number(values.rows)];
  const stage = await openStage();
  try {
    const post = await openNeighbor(stage);
    const fleet = ['serial,name,tags,lat,lon'];
    for (let i = 0; i < devices; i++) fleet.push(`${serialOf(i)},Pump ${i},north;well,59.8586,17.6389`);
    await takeIn(stage, post, 'devices', fleet.join('\n'));
    const history = ['serial,ts,temperature,humidity,metadata.rssi'];
    const used = Math.min(devices, 1000);
    for (let i = 0; i < rows; i++)
      history.push(
        `${serialOf(i % used)},${1_714_568_400 + 60 * Math.floor(i / used)},${15 + ((i * 7919) % 1709) / 100},${40 + (i % 50)},-90`,
      );
    await takeIn(stage, post, 'records', history.join('\n'));
  } finally {
    await stage.close();
  }
}

export const serialOf = (index: number) => `b0-${index.toString(16).padStart(6, '0')}`;

export const callAs =
  ({ base }: Stage, token: string): Call =>
  async <Body>(path: string, body?: string, type = 'application/json') => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': type };
    const response = await fetch(
      `${base}${path}`,
      body === undefined ? { headers } : { method: 'POST', headers, body },
    );
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Body;
  };

/** Creates another organization with a device. Returns a function that posts one of its records. */
export const openNeighbor = async (stage: Stage): Promise<() => Promise<unknown>> => {
  const account = { username: 'neighbor', email: 'neighbor@example.com' };
  const organizationId = await createAccount(stage.pool, AccountType.organization, account, new Date());
  const { token } = await createToken(stage.pool, { organizationId }, new Date());
  const call = callAs(stage, token);
  await call(`/organizations/${organizationId}/devices/aa-01`, '{}');
  return () => call(`/organizations/${organizationId}/records`, '{"serial":"aa-01","data":{"a":1}}');
};

const takeIn = async (stage: Stage, post: () => Promise<unknown>, kind: string, file: string): Promise<void> => {
  const call = callAs(stage, stage.token);
  const at = `/organizations/${stage.organizationId}/imports`;
  const memory = [resident(stage.pid)];
  const waits: number[] = [];
  let isOver = false;
  const watch = async () => {
    for (; !isOver; await delay(50)) {
      const begun = performance.now();
      await post();
      waits.push(performance.now() - begun);
      memory.push(resident(stage.pid));
    }
  };
  const watching = watch();
  const begun = performance.now();
  let found = await call<FileImport>(`${at}/${kind}?dryRun=false`, file, 'text/csv');
  while (found.state === 'applying') {
    await delay(200);
    found = await call<FileImport>(`${at}/${found.id}`);
  }
  const seconds = (performance.now() - begun) / 1000;
  isOver = true;
  await watching;
  waits.sort((a, b) => a - b);
  const wait = (share: number) => waits[Math.floor((waits.length - 1) * share)]!.toFixed(0);
  stdout.write(
    `  ${found.created.toLocaleString('en')} ${kind} ${found.state} in ${seconds.toFixed(1)} s; resident memory ${memory[0]!.toFixed(0)} MiB before, ${Math.max(...memory).toFixed(0)} MiB at most; posts of another organization meanwhile ${wait(0.5)} ms (p50), ${wait(0.99)} ms (p99), ${wait(1)} ms at most\n`,
  );
};
