import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { afterEach, expect } from '@jest/globals';
import { type Behaviour, type Receiver, startReceiver } from '../hooks/receiver.js';
import { ended } from '../support/command.js';
import { postmasterOf } from './embedded.js';

/** Whether faults last as long as docs/reliability.md says. CI uses shorter and smaller faults. */
export const full = process.env['CHAOS'] === 'full';

/** Milliseconds that a fault and its recovery may take. */
export const limit = full ? 600_000 : 240_000;

const ends: (() => unknown)[] = [];
/** Number of finished tests. */
let over = 0;

/** Runs `work` after the test, whether it passes or fails; the last one added runs first. */
export const atEnd = (work: () => unknown): void => void ends.push(work);

/**
 * Does the work of {@link atEnd} after each test. Every file of this folder calls it at its top: a worker loads this
 * module once for all files, so a hook defined here would serve only the first of them.
 */
export const useEnds = (): void =>
  afterEach(async () => {
    over++;
    const failures: unknown[] = [];
    for (const work of ends.splice(0).toReversed()) {
      // The remaining functions run even when one fails.
      await Promise.resolve()
        .then(work)
        .catch((error: unknown) => failures.push(error));
    }
    expect(failures).toEqual([]);
  }, 180_000);

/** Opens a receiver that closes after the test. */
export async function openReceiver(behaviour?: Behaviour): Promise<Receiver> {
  const receiver = await startReceiver(behaviour);
  atEnd(() => receiver.close());
  return receiver;
}

const program = fileURLToPath(new URL('../../src/main.js', import.meta.url));

/** The line that a service prints when it listens. */
interface Ready {
  url: string;
  id: string;
  token: string;
  serial: string;
  applicationId: string;
}

/** A service process with a device, a hook and a load of records. */
export interface Day {
  readonly url: string;
  readonly token: string;
  readonly organization: string;
  readonly application: string;
  readonly serial: string;
  readonly dataDir: string;
  readonly receiver: Receiver;
  readonly load: Load;
  readonly process: ChildProcess;
  /** Returns the service's log. */
  logged(): string;
  call(method: string, path: string, body?: object): Promise<Response>;
  /** Waits until the receiver has exactly the acknowledged records. */
  settle(): Promise<void>;
}

/** Options to start a service. */
export interface DayOptions {
  settings?: Readonly<Record<string, string>>;
  dataDir?: string;
  /** The existing organization on a database of DATABASE_URL. */
  first?: Omit<Ready, 'url'>;
  /** The command that runs the program, such as `unshare`. */
  wrapper?: readonly string[];
}

/** Starts a service on a new embedded database, with a load of records. Both stop with the test. */
export async function startDay({ settings = {}, dataDir: given, first, wrapper = [] }: DayOptions = {}): Promise<Day> {
  const dataDir = given ?? (await mkdtemp(join(tmpdir(), 'ddp-chaos-')));
  await chmod(dataDir, 0o755);
  if (given === undefined) atEnd(() => rm(dataDir, { recursive: true, force: true }));
  const [command, ...args] = [...wrapper, process.execPath, program, 'serve', '--json'];
  const child = spawn(command!, args, {
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: dataDir,
      PORT: '0',
      WORKERS: '1',
      RATE_LIMIT: '0',
      LOG_LEVEL: 'warn',
      STOP_DELAY: '1ms',
      HOOK_RETRY_SCHEDULE: Array.from({ length: 60 }, () => '1s').join(),
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atEnd(() => stop(child, dataDir));
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    ended(child).then(() => Promise.reject(new Error(log))),
  ])) as [string];
  const ready = { ...first, ...(JSON.parse(line) as object) } as Ready;
  const call = (method: string, path: string, body?: object) =>
    fetch(`${ready.url}/ddp/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${ready.token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const receiver = await openReceiver();
  const hook = await call('POST', `/applications/${ready.id}/${ready.applicationId}/hooks`, { url: receiver.url() });
  expect(hook.status).toBe(200);
  const load = new Load((items) => call('POST', `/organizations/${ready.id}/records`, items), ready.serial);
  atEnd(() => load.end());
  return {
    url: ready.url,
    token: ready.token,
    organization: ready.id,
    application: ready.applicationId,
    serial: ready.serial,
    dataDir,
    receiver,
    load,
    process: child,
    logged: () => log,
    call,
    async settle() {
      await load.end();
      await until(() => {
        const got = numbersOf(receiver);
        return [...load.acknowledged].every((n) => got.has(n));
      });
    },
  };
}

/** Milliseconds after which a service that does not stop is killed. */
const stopTime = 60_000;

/** Stops a service and its database, and deletes the database. */
async function stop(child: ChildProcess, dataDir: string): Promise<void> {
  child.kill('SIGTERM');
  const late = setTimeout(() => {
    child.kill('SIGKILL');
    void postmasterOf(dataDir).then((pid) => pid !== undefined && process.kill(pid, 'SIGQUIT'));
  }, stopTime);
  await ended(child);
  clearTimeout(late);
  const elsewhere = await readFile(join(dataDir, 'postgres.path'), 'utf8').catch(() => dataDir);
  await rm(elsewhere.trim(), { recursive: true, force: true });
}

/** The numbers of the records that a receiver has received. */
const numbersOf = ({ calls }: Receiver): ReadonlySet<number> =>
  new Set(calls.map(({ body }) => (JSON.parse(body) as { record: { data: { n: number } } }).record.data.n));

/**
 * Polls until a condition holds. A poll that throws counts as false.
 * @throws when the test runs out of time first
 */
export async function until(reached: () => boolean | Promise<boolean>): Promise<void> {
  const test = over;
  while (
    !(await Promise.resolve()
      .then(reached)
      .catch(() => false))
  ) {
    await pause(100);
    if (over > test) throw new Error('The test is over.');
  }
}

/** Answers within a period: the number of each status, and the longest duration in milliseconds. */
export interface Answers {
  statuses: Record<string, number>;
  longest: number;
  /** Unexpected answers, with the identifiers of their requests. */
  wrong: string[];
}

/** Success, and the statuses for temporary failures. */
const expected = new Set(['200', '503', '504']);

const noAnswers = (): Answers => ({ statuses: {}, longest: 0, wrong: [] });

const clients = 4;
const batch = 10;
/** Milliseconds after which a request counts as hung; a fault in `full` may last 30 s. */
const patience = full ? 60_000 : 30_000;

/** Clients that post batches. Each repeats a batch until the service returns 200. */
export class Load {
  readonly acknowledged = new Set<number>();
  private answers = noAnswers();
  private next = 0;
  private succeeded = 0;
  private over = false;
  private readonly running: Promise<unknown>;

  constructor(
    private readonly post: (items: object[]) => Promise<Response>,
    private readonly serial: string,
  ) {
    this.running = Promise.all(Array.from({ length: clients }, () => this.run()));
  }

  /** Returns the answers since the last call. */
  take(): Answers {
    const taken = this.answers;
    this.answers = noAnswers();
    return taken;
  }

  /** Resolves when `count` more batches are stored. */
  async stored(count = 5): Promise<void> {
    const goal = this.succeeded + count;
    await until(() => this.succeeded >= goal);
  }

  /** Resolves when a status has been returned since the last `take`. */
  async answered(status: string): Promise<void> {
    await until(() => (this.answers.statuses[status] ?? 0) > 0);
  }

  async end(): Promise<void> {
    this.over = true;
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.over) {
      const numbers = Array.from({ length: batch }, () => this.next++);
      const items = numbers.map((n) => ({ serial: this.serial, key: `${n}`, data: { n, pad: 'x'.repeat(500) } }));
      while (!this.over && !(await this.postOnce(items))) await pause(100);
      // A request cut off at the end was not acknowledged, so it may be stored or not.
      if (this.over) return;
      for (const n of numbers) this.acknowledged.add(n);
      this.succeeded += 1;
      await pause(10);
    }
  }

  private async postOnce(items: object[]): Promise<boolean> {
    const begun = performance.now();
    const hung = pause(patience, ['hung', ''] as const, { ref: false });
    const answer = this.post(items).then(
      (response) =>
        response.text().then(
          (text) => [`${response.status}`, text] as const,
          (error: unknown) => ['broken', inspect(error)] as const,
        ),
      (error: unknown) => ['broken', inspect(error)] as const,
    );
    const [status, text] = await Promise.race([answer, hung]);
    this.answers.longest = Math.max(this.answers.longest, performance.now() - begun);
    this.answers.statuses[status] = (this.answers.statuses[status] ?? 0) + 1;
    if (!expected.has(status)) this.answers.wrong.push(`${status} ${text}`);
    return status === '200';
  }
}

/** Expects that requests were stored or temporarily refused: none failed otherwise, hung or was cut off. */
export function expectRefusals({ wrong }: Answers, { logged }: Pick<Day, 'logged'>): void {
  // When the test fails, it also prints the service's log lines about these requests.
  if (wrong.length > 0) expect({ wrong, log: linesOf(logged(), wrong) }).toEqual({ wrong: [] });
}

/** Returns the log lines that name the requests of these answers, then the last lines. */
const linesOf = (log: string, answers: readonly string[]): string[] => {
  const ids = answers.flatMap((answer) => /"requestId":"([^"]+)"/.exec(answer)?.[1] ?? []);
  const lines = log.split('\n');
  return [...lines.filter((line) => ids.some((id) => line.includes(id))), '...', ...lines.slice(-50)];
};

/** Returns the milliseconds that the work takes. */
export async function timed(work: Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work;
  return Math.round(performance.now() - begun);
}

/** Writes a line for the table in docs/reliability.md to the file CHAOS_REPORT. */
export async function report(line: object): Promise<void> {
  const file = process.env['CHAOS_REPORT'];
  if (file !== undefined) await appendFile(file, `${JSON.stringify(line)}\n`);
}
