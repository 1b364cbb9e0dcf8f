import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { stdout } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { generate, parser } from 'mqtt-packet';
import { Pool } from 'undici';
import { median, progress, type Row, report } from './figures.js';
import { type BenchFleet, furnish, nextItem } from './fleet.js';
import { resident } from './resident.js';
import { openStage, type Stage } from './stage.js';

const devices = 200;
const clients = 64;
const seconds = 4;
/** Number of connections opened at once. It is below the limit of an address without a token. */
const connecting = 100;

/**
 * Measures the memory of idle connections; then messages of one record at QoS 1 until they are acknowledged, in turn
 * with single posts of the same records over HTTP. `--rounds N` repeats (5), `--connections N` is the number of idle
 * connections (10000; each needs an open file here and one in the service: `ulimit -n`).
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { rounds: { type: 'string', default: '5' }, connections: { type: 'string', default: '10000' } },
  });
  const stage = await openStage({ MQTT_PORT: '0', MQTT_CONNECTIONS: '1000000' });
  try {
    // This comes first, as memory left over from load would hide what connections take.
    await holdIdle(stage, Number(values.connections));
    const fleet = await furnish(stage, devices);
    const http: Row = { name: `POST of one, ${clients} clients`, figures: [] };
    const single: Row = { name: `PUBLISH, ${clients} clients, one under way each`, figures: [], against: http };
    const many: Row = { name: `PUBLISH, ${clients} clients, 20 under way each`, figures: [], against: http };
    // The first round only warms up.
    for (let round = 0; round <= Number(values.rounds); round++) {
      const figures = [await post(stage, fleet), await publish(stage, fleet, 1), await publish(stage, fleet, 20)];
      if (round > 0) for (const [index, row] of [http, single, many].entries()) row.figures.push(figures[index]!);
      stdout.write('.');
    }
    report('Acknowledged records', 'records/s', [http, single, many]);
  } finally {
    await stage.close();
  }
}

/** Returns single posts per second over kept-alive connections. */
async function post(stage: Stage, fleet: BenchFleet): Promise<number> {
  const pool = new Pool(new URL(stage.base).origin, { connections: clients });
  const path = `/ddp/v1/organizations/${stage.organizationId}/records`;
  const headers = { authorization: `Bearer ${stage.token}`, 'content-type': 'application/json' };
  const rate = await rateOf(async (isOver) => {
    let count = 0;
    while (!isOver()) {
      const response = await pool.request({ method: 'POST', path, headers, body: JSON.stringify(nextItem(fleet)) });
      const text = await response.body.text();
      if (response.statusCode !== 200 || text.includes('"accepted":0')) throw new Error(text.slice(0, 500));
      count++;
    }
    return count;
  });
  await pool.close();
  return rate;
}

/**
 * Returns acknowledged messages per second.
 * @param underWay unacknowledged messages per client.
 */
async function publish(stage: Stage, fleet: BenchFleet, underWay: number): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: clients }, () => connect(stage)));
  const rate = await rateOf((isOver, client) => publishFrom(sockets[client]!, fleet, { underWay, isOver }));
  for (const socket of sockets) socket.destroy();
  return rate;
}

/** Runs all clients for some seconds. Returns their total operations per second. */
async function rateOf(client: (isOver: () => boolean, index: number) => Promise<number>): Promise<number> {
  const begun = performance.now();
  const isOver = () => performance.now() - begun > seconds * 1000;
  const counts = await Promise.all(Array.from({ length: clients }, (_, index) => client(isOver, index)));
  return (1000 * counts.reduce((sum, count) => sum + count)) / (performance.now() - begun);
}

/** Opens a connection that may publish. */
export async function connect({ mqttUrl, token }: Stage): Promise<Socket> {
  const { hostname, port } = new URL(mqttUrl!);
  const socket = connectTcp({ host: hostname, port: Number(port), noDelay: true });
  socket.write(generate({ cmd: 'connect', clientId: '', username: token, protocolVersion: 4, keepalive: 0 }));
  const [connack] = (await once(socket, 'data')) as [Buffer];
  if (connack[3] !== 0) throw new Error(`The service refuses a connection (return code ${connack[3]}).`);
  return socket;
}

/** Publishes with a number of unacknowledged messages at a time. Resolves with the number of acknowledged ones. */
const publishFrom = (
  socket: Socket,
  fleet: BenchFleet,
  { underWay, isOver }: { underWay: number; isOver: () => boolean },
): Promise<number> =>
  new Promise((resolve, reject) => {
    let [sent, acknowledged] = [0, 0];
    const next = () => {
      const messageId = (sent++ % 65_535) + 1;
      const payload = JSON.stringify(nextItem(fleet));
      socket.write(
        generate({ cmd: 'publish', topic: 'ddp/records', payload, qos: 1, messageId, dup: false, retain: false }),
      );
    };
    const reader = parser({ protocolVersion: 4 });
    reader.on('packet', () => {
      acknowledged++;
      if (!isOver()) next();
      else if (acknowledged === sent) resolve(acknowledged);
    });
    socket.on('data', (bytes: Buffer) => reader.parse(bytes));
    socket.once('close', () => reject(new Error('The service ended a connection.')));
    for (let count = 0; count < underWay; count++) next();
  });

/** Reports the memory that idle authenticated connections take. Linux only. */
async function holdIdle(stage: Stage, count: number): Promise<void> {
  const before = await settledMemory(stage.pid);
  const sockets: Socket[] = [];
  stdout.write(`${count.toLocaleString('en')} idle connections\n`);
  while (sockets.length < count) {
    const length = Math.min(connecting, count - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length }, () => connect(stage)))));
    progress(sockets.length, count);
  }
  const bytes = (await settledMemory(stage.pid)) - before;
  stdout.write(`  ${Math.round(bytes / count).toLocaleString('en')} bytes of the service's resident memory each\n`);
  for (const socket of sockets) socket.destroy();
}

/**
 * Returns the resident memory of a process in bytes, as the median of ten seconds, so that most earlier garbage is
 * gone.
 */
export async function settledMemory(pid: number): Promise<number> {
  const figures: number[] = [];
  for (let second = 0; second < 10; second++) {
    await delay(1000);
    figures.push(resident(pid) * 2 ** 20);
  }
  return median(figures);
}
