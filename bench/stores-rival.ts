import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Pool } from 'undici';
import { processorOf } from './processor.js';
import { batchesOf, lineOf, type StoresData } from './stores-data.js';
import { type Askers, askAll, type StoreResult } from './stores-question.js';

/** Calls a store over HTTP and returns the body of the answer. @throws Error for a status from 300 on */
export type Call = (method: 'GET' | 'POST', path: string, body?: string) => Promise<string>;

/** Another store: a program that takes the line protocol over HTTP. */
export interface RivalStore {
  readonly name: string;
  /** Name of the program on the `PATH`. */
  readonly program: string;
  /** Path of a request that the store answers when it is ready. */
  readonly ready: string;
  /** Path that takes lines, with times in seconds. */
  readonly write: string;
  arguments(folder: string, port: number): string[];
  environment(folder: string, port: number): Record<string, string>;
  prepare?(call: Call): Promise<unknown>;
  /** Asks the store to write what it holds in memory. */
  flush?(call: Call): Promise<unknown>;
  askers(call: Call, data: StoresData): Askers;
}

/** Lines of one request, and requests at once: what the makers of both stores recommend. */
const linesAtOnce = 5000;
const clients = 2;

/** Measures a store in a folder of its own. Returns undefined if its program is not installed. */
export const measureRival = async (
  store: RivalStore,
  data: StoresData,
  turns: number,
): Promise<StoreResult | undefined> => {
  const folder = await mkdtemp(join(tmpdir(), 'ddp-bench-'));
  try {
    const filled = await startRival(store, folder);
    if (filled === undefined) return undefined;
    let [stored, ingest] = [0, 0];
    try {
      await store.prepare?.(filled.call);
      const batches = batchesOf(data, linesAtOnce);
      const write = async () => {
        for (const batch of batches) await filled.call('POST', store.write, batch.map(lineOf).join('\n'));
      };
      await Promise.all(Array.from({ length: clients }, write));
      stored = processorOf(filled.pid);
      await store.flush?.(filled.call);
      await untilQuiet(filled.pid);
      ingest = processorOf(filled.pid);
    } finally {
      await filled.stop();
    }
    const bytes = await bytesBelow(folder);
    // A store that has started again has nothing of its records in memory but what it keeps there at all times.
    const opened = (await startRival(store, folder))!;
    try {
      const asked = await askAll(store.askers(opened.call, data), () => processorOf(opened.pid), turns);
      const per = (micros: number) => (micros / data.records).toFixed(2);
      const steps = [`storing ${per(stored)} us, merging ${per(ingest - stored)} us`];
      return { name: store.name, bytes, ingest, steps, ...asked };
    } finally {
      await opened.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** A store that runs. */
export interface Running {
  readonly pid: number;
  readonly call: Call;
  stop(): Promise<void>;
}

/** Starts a store and waits until it answers. Returns undefined if its program is not installed. */
export const startRival = async (store: RivalStore, folder: string): Promise<Running | undefined> => {
  const port = await freePort();
  const child = spawn(store.program, store.arguments(folder, port), {
    env: { PATH: process.env['PATH'], HOME: folder, ...store.environment(folder, port) },
    stdio: 'ignore',
  });
  const kill = () => void child.kill('SIGKILL');
  try {
    await once(child, 'spawn');
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined;
    throw error;
  }
  process.once('exit', kill);
  const exited = once(child, 'exit');
  const { call, close } = callerOf(`http://127.0.0.1:${port}`);
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${store.program} ended with ${child.exitCode}.`);
    if (
      await call('GET', store.ready).then(
        () => true,
        () => false,
      )
    )
      break;
    await setTimeout(100);
  }
  return {
    pid: child.pid!,
    call,
    async stop() {
      await close();
      child.kill('SIGINT');
      await exited;
      process.off('exit', kill);
    },
  };
};

/** Returns a function that calls an address over connections that stay open. */
export const callerOf = (
  origin: string,
  headers: Record<string, string> = {},
): { call: Call; close(): Promise<void> } => {
  // `fetch` would itself cost about a millisecond.
  const pool = new Pool(origin, { bodyTimeout: 0, headersTimeout: 0 });
  return {
    async call(method, path, body = '') {
      const answer = await pool.request({ method, path, headers, ...(method === 'POST' && { body }) });
      const text = await answer.body.text();
      if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 500)}`);
      return text;
    },
    close: () => pool.close(),
  };
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

/** Seconds for which a store must be quiet, and microseconds of processor time that it may take in each. */
const quietFor = 20;
const quietMicros = 50_000;

/** Waits until a process has merged what it stored: no interface of either store says so. */
const untilQuiet = async (pid: number): Promise<void> => {
  let before = processorOf(pid);
  for (let quiet = 0; quiet < quietFor; ) {
    await setTimeout(1000);
    const now = processorOf(pid);
    quiet = now - before > quietMicros ? 0 : quiet + 1;
    before = now;
  }
};

/** Returns the bytes that files take on disk: InfluxDB makes some of 4 MiB that are nearly empty. */
const bytesBelow = async (folder: string): Promise<number> => {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).blocks * 512;
  return bytes;
};
