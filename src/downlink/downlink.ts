import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { CommitBus } from '#common/commit-bus.js';
import type { Log } from '#common/log.js';
import { transaction } from '#database/transaction.js';
import type { CommandStateName, HandedCommand } from '#entities/command.js';
import { firstId } from '#entities/id.js';
import { createPeriodicTasks } from '#scheduling/periodic-tasks.js';
import { createPollLoop } from '#scheduling/poll-loop.js';
import { Bell, ofCalls, ofConnections } from './bell.js';
import { expireCommands, makeDue } from './command-rows.js';
import { countNames, type DesiredPart, desiredParts, lockDevice, type Report, report } from './device-state.js';
import { type HandOver, handOver } from './hand-over.js';
import { type NewEvidence, noteEvidence } from './note-evidence.js';
import { answerSigfox, noteSigfox, type SigfoxNews, type SigfoxRequest } from './sigfox.js';
import { StateChanges } from './state-changes.js';

export interface DownlinkOptions {
  pool: Pool;
  /** Returns milliseconds since the epoch. */
  clock: () => number;
  log: Log;
  bus: CommitBus;
  /** Time for which commands are kept, in milliseconds. */
  retention: number;
}

/** A device as those who speak to it name it. */
export interface DeviceName {
  id: string;
  organizationId: string;
}

/** Speaks to devices: it hands over commands, and stores what devices say about these and about their state. */
export interface Downlink {
  /**
   * Calls a function whenever there may be a command, or another desired state, for a device that has a connection.
   * Returns the function that ends this.
   * @throws rateLimited
   */
  watch(device: DeviceName, what: Watched, ring: () => void): () => void;
  /** Hands over the commands that are due. */
  take(deviceId: string, how: HandOver): Promise<HandedCommand[]>;
  /** Waits for commands for a number of milliseconds, and hands them over. @throws rateLimited */
  waitAndTake(device: DeviceName, how: HandOver, wait: number, signal: AbortSignal): Promise<HandedCommand[]>;
  /** Hands a command over to Sigfox. Returns 16 hexadecimal digits; undefined if nothing waits. */
  answerSigfox(request: SigfoxRequest): Promise<string | undefined>;
  /** Stores what Sigfox says of a downlink. */
  noteSigfox(news: SigfoxNews): Promise<void>;
  /** Stores evidence. Returns the state of the command; undefined when the device has no such command. */
  note(command: { id: string; deviceId: string }, evidence: NewEvidence): Promise<CommandStateName | undefined>;
  /** Makes commands due that were handed over to a connection which ended before the device acknowledged them. */
  release(deviceId: string, ids: readonly string[]): void;
  /** Returns what is desired of a device: all, or what changed after a time; the last change comes last. */
  desired(deviceId: string, after: string | null): Promise<DesiredPart[]>;
  /** Stores what a device reports. Returns the number of names of its state, and stores nothing if there are too many. */
  report(device: DeviceName, reports: readonly Report[], maxNames: number): Promise<number>;
  start(): void;
  /** Ends all waits, and lets no further call wait, because this process stops. */
  quieten(): void;
  close(): Promise<void>;
}

/** A kind of news for a device with a connection. */
export type Watched = 'commands' | 'state';

/** Number of commands that a statement ends or deletes. */
const piece = 500;

/** Creates the downlink. Any number of processes may do so over one database. */
export function createDownlink({ pool, clock, log, bus, retention }: DownlinkOptions): Downlink {
  const bell = new Bell(ofCalls);
  const watchers: Record<Watched, Bell> = { commands: new Bell(ofConnections), state: new Bell(ofConnections) };
  const changes = new StateChanges(pool);
  const releases = new Set<Promise<unknown>>();
  const take = (deviceId: string, how: HandOver) => handOver(pool, deviceId, how);
  const ringForCommands = (devices: readonly string[]) => {
    bell.ring(devices);
    watchers.commands.ring(devices);
  };
  bus.on('downlink', (devices) => {
    ringForCommands(devices);
    watchers.state.ring(devices);
  });
  let isClosing = false;
  const polling = createPollLoop({
    interval: 1000,
    isNeeded: () => !(bell.isEmpty && watchers.commands.isEmpty && watchers.state.isEmpty),
    async poll(full) {
      // A new listener looks by itself; its hint only ends the idleness.
      if (!full) return;
      const { commands, state } = watchers;
      if (!bell.isEmpty || !commands.isEmpty)
        ringForCommands(await dueDevices(pool, [...bell.devices, ...commands.devices]));
      if (!state.isEmpty) state.ring(await changes.next(state.devices));
    },
    onFailure: (error, failures) =>
      failures === 0 && log.error({ err: error }, 'Devices that wait for commands cannot be served; trying again'),
  });
  const tasks = createPeriodicTasks(
    {
      expiry: { every: 1000, run: () => repeat(() => expire(pool)) },
      retention: { every: 60_000, run: () => repeat(() => forget(pool, clock() - retention)) },
    },
    { log, failed: 'Upkeep of commands failed; it will be repeated' },
  );
  const listen = (to: Bell, device: DeviceName, ring: () => void) => {
    const end = to.listen(device, ring);
    polling.wake();
    return end;
  };
  return {
    watch: (device, what, ring) => listen(watchers[what], device, ring),
    take,
    async waitAndTake(device, how, wait, signal) {
      const until = performance.now() + wait;
      let rung = Promise.withResolvers<void>();
      // Before the first look: what is sent after it rings.
      const end = wait > 0 ? listen(bell, device, () => rung.resolve()) : () => undefined;
      try {
        for (;;) {
          const commands = await take(device.id, how);
          const left = until - performance.now();
          if (commands.length > 0 || left <= 0 || isClosing) return commands;
          await within(rung.promise, left, signal);
          // Nobody reads what would be handed over now.
          if (signal.aborted) return [];
          rung = Promise.withResolvers();
        }
      } finally {
        end();
      }
    },
    answerSigfox: (request) => answerSigfox(pool, request),
    noteSigfox: (news) => noteSigfox(pool, news),
    async note(command, evidence) {
      const state = await noteEvidence(pool, command, evidence);
      // The next command may be due.
      if (state !== undefined) ringForCommands([command.deviceId]);
      return state;
    },
    release(deviceId, ids) {
      const releasing = pool.query(makeDue(deviceId, ids)).then(
        () => ringForCommands([deviceId]),
        // The commands are due anyway once their time to be acknowledged is over.
        (error: unknown) => log.error({ err: error }, 'Commands of a connection that ended cannot be released'),
      );
      releases.add(releasing);
      void releasing.finally(() => releases.delete(releasing));
    },
    desired: async (deviceId, after) => (await pool.query<DesiredPart>(desiredParts(deviceId, after))).rows,
    report: (device, reports, maxNames) => storeReport(pool, device, reports, maxNames),
    start() {
      polling.start();
      tasks.start();
    },
    quieten() {
      isClosing = true;
      bell.ringAll();
    },
    async close() {
      this.quieten();
      await Promise.all([polling.close(), tasks.close(), ...releases]);
    },
  };
}

const storeReport = (pool: Pool, device: DeviceName, reports: readonly Report[], maxNames: number): Promise<number> => {
  let count = 0;
  return transaction(
    pool,
    async (tx) => {
      await tx.query(lockDevice(device.id));
      await tx.query(report(device, reports));
      const { rows } = await tx.query<{ count: number }>(countNames(device.id));
      return (count = rows[0]!.count);
    },
    () => count <= maxNames,
  );
};

/** Returns those of the devices that something may be handed over to: while a command is in flight, nothing is. */
const dueDevices = async (pool: Pool, devices: readonly string[]): Promise<string[]> => {
  const { rows } = await pool.query<{ id: string }>(sql`
    select d.id from unnest(${devices}::uuid[]) d (id) where exists (
      select from command c where c.device_id = d.id and c.open and (c.state = 'waiting' or c.again_at <= clock_timestamp()))
      and not exists (
      select from command c where c.device_id = d.id and c.open
         and c.again_at > clock_timestamp() and c.again_at < 'infinity')`);
  return rows.map(({ id }) => id);
};

const expire = async (pool: Pool): Promise<number> => (await pool.query(expireCommands(piece))).rows.length;

const forget = async (pool: Pool, before: number): Promise<number> => {
  const { rowCount } = await pool.query(sql`
    delete from command where id in (
      select id from command where id < ${firstId(before)}::uuid and not open order by id limit ${piece})`);
  return rowCount ?? 0;
};

const repeat = async (work: () => Promise<number>): Promise<void> => {
  while ((await work()) === piece);
};

/** Waits for a promise, at most for a number of milliseconds, and until the signal is aborted. */
const within = (promise: Promise<void>, milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
    void promise.then(end);
    // It fires no more once it was aborted, as while commands were looked for.
    if (signal.aborted) end();
  });
