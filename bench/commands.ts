import { stdout } from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { openStage, type Stage } from './stage.js';

/**
 * Measures the time from the call that sends a command to the device that has it, while devices wait by long polls, and
 * what waiting commands cost ingestion. Options: `--rate N` (200 a second), `--seconds N` (20), `--devices N` (200),
 * `--waiting N` (100,000 commands to other devices).
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rate: { type: 'string', default: '200' },
      seconds: { type: 'string', default: '20' },
      devices: { type: 'string', default: '200' },
      waiting: { type: 'string', default: '100000' },
    },
  });
  const stage = await openStage();
  const client = new Pool(new URL(stage.base).origin, { connections: 512 });
  try {
    const devices = await register(stage, client, Number(values.devices));
    await measure(stage, client, devices, { rate: Number(values.rate), seconds: Number(values.seconds) });
    await leaveWaiting(stage, Number(values.waiting));
    stdout.write(`\nbeside ${Number(values.waiting).toLocaleString('en')} devices with a command that waits\n`);
    await measure(stage, client, devices, { rate: Number(values.rate), seconds: Number(values.seconds) });
  } finally {
    await client.close();
    await stage.close();
  }
}

const call = async (
  { token }: Pick<Stage, 'token'>,
  client: Pool,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<Record<string, unknown>> => {
  const { statusCode, body: answer } = await client.request({
    method,
    path: `/ddp/v1${path}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.text();
  if (statusCode !== 200) throw new Error(`${method} ${path}: ${statusCode} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
};

const register = async (stage: Stage, client: Pool, count: number): Promise<string[]> => {
  const paths: string[] = [];
  for (let index = 0; index < count; index++) {
    const serial = (0xc0000000 + index).toString(16);
    const { id } = await call(stage, client, 'POST', `/organizations/${stage.organizationId}/devices/${serial}`, {});
    paths.push(`/devices/${stage.organizationId}/${String(id)}`);
  }
  return paths;
};

/** Sends commands at a steady rate to devices in turn, each of which takes and answers them. */
async function measure(
  stage: Stage,
  client: Pool,
  devices: readonly string[],
  { rate, seconds }: { rate: number; seconds: number },
): Promise<void> {
  const sentAt = new Map<string, number>();
  const times: number[] = [];
  let isOver = false;
  const listen = async (device: string) => {
    while (!isOver) {
      const { commands } = await call(stage, client, 'GET', `${device}/commands?wait=2`);
      for (const { id, payload } of commands as { id: string; payload: string }[]) {
        times.push(performance.now() - sentAt.get(payload)!);
        await call(stage, client, 'POST', `${device}/commands/${id}/result`, {});
      }
    }
  };
  const listening = devices.map(listen);
  await setTimeout(500);
  const begun = performance.now();
  const sending: Promise<unknown>[] = [];
  for (let number = 0; number < rate * seconds; number++) {
    await setTimeout(Math.max(0, begun + (1000 * number) / rate - performance.now()));
    const payload = number.toString(16).padStart(8, '0');
    sentAt.set(payload, performance.now());
    const device = devices[number % devices.length]!;
    sending.push(call(stage, client, 'POST', `${device}/commands`, { name: 'raw', payload }));
  }
  await Promise.all(sending);
  for (const end = performance.now() + 60_000; times.length < sentAt.size && performance.now() < end; )
    await setTimeout(50);
  isOver = true;
  await Promise.all(listening);
  times.sort((one, other) => one - other);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!.toFixed(1);
  stdout.write(
    `  ${rate} commands a second to ${devices.length} devices for ${seconds} s: ${times.length} taken; from the call to the device ${at(0.5)} ms (median), ${at(0.99)} ms (99 %)\n`,
  );
}

/** Stores commands that wait for other devices, directly in the table. */
const leaveWaiting = async ({ pool, organizationId }: Stage, count: number): Promise<void> => {
  await pool.query(
    `insert into command (id, organization_id, device_id, name, payload, stream_id, confirmed, secret, expires_at)
     select gen_random_uuid(), $1, gen_random_uuid(), 'raw', '\\x01', 1, false, false, now() + interval '1 day'
       from generate_series(1, $2::int)`,
    [organizationId, count],
  );
  await pool.query('vacuum analyze command');
};
