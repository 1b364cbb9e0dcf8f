import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '#config/config.js';
import { buildCustomer, type Customer } from '../../hooks/customer.js';
import { type Receiver, startReceiver } from '../../hooks/receiver.js';
import { runCommand } from '../../support/command.js';
import { createDatabase, execute } from '../../support/server.js';
import { useService } from '../../support/service.js';
import { startTestService } from '../../support/start-service.js';

const hooks = { ...readConfig({}).hooks, allowCidrs: ['127.0.0.0/8'], retrySchedule: [600_000] };
const service = useService({ config: { hooks } });

/** Runs a command, and returns the JSON value that it prints. */
async function ddp<T>(databaseUrl: string, ...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await runCommand([...args, '--json'], { DATABASE_URL: databaseUrl });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as T;
}

const refusal = async (databaseUrl: string, ...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await runCommand(args, { DATABASE_URL: databaseUrl });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  return stderr;
};

const program = fileURLToPath(new URL('../../../src/main.js', import.meta.url));

/** Returns the files of the folder whose names begin with `name`. */
const filesOf = async (name: string): Promise<string[]> =>
  (await readdir(folder)).filter((each) => each.startsWith(name));

const column = async (databaseUrl: string, query: string): Promise<string[]> =>
  (await execute(databaseUrl, query)).rows.map(({ name }) => name);

const storedNumbers = async (databaseUrl: string): Promise<number[]> =>
  (await column(databaseUrl, `select data ->> 'n' as name from record`)).map(Number);
const deliveryIds = (databaseUrl: string): Promise<string[]> =>
  column(databaseUrl, 'select id::text as name from delivery');

const yearAgo = Date.now() - 370 * 86_400_000;

let folder: string;
let file: string;
let receiver: Receiver;
let customer: Customer;
/** The summary that ddp backup prints. */
let summary: { rows: string; bytes: string; leftOut: string[] };
/** Numbers of the records acknowledged before the backup began, and identifiers of their deliveries. */
let acknowledged: number[];
let deliveries: string[];

let sent = 0;
const send = async (acknowledgedOnes: Set<number>, ts?: number) => {
  const numbers = Array.from({ length: 50 }, () => ++sent);
  const body = numbers.map((n) => ({
    serial: customer.serial,
    data: { n, text: `line\nbreak\ttab \\ "${n}"` },
    ...(ts && { ts }),
  }));
  const answer = await customer.call('POST', `/organizations/${customer.organizationId}/records`, body);
  expect(answer).toMatchObject({ status: 200, body: { accepted: numbers.length } });
  for (const n of numbers) acknowledgedOnes.add(n);
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ddp-backup-'));
  file = join(folder, 'all.backup');
  receiver = await startReceiver();
  customer = await buildCustomer(service);
  await customer.hook({ url: receiver.url('/hook'), authentication: { basic: { user: 'u', pass: 'a secret' } } });
  const before = new Set<number>();
  // Records from a year ago, whose partitions no migration creates.
  await send(before, yearAgo);
  await send(before);
  const load = new AbortController();
  const senders = [1, 2].map(async () => {
    while (!load.signal.aborted) await send(before);
  });
  await receiver.received(200);
  acknowledged = [...before];
  deliveries = await deliveryIds(service.databaseUrl);
  summary = await ddp(service.databaseUrl, 'backup', file);
  load.abort();
  await Promise.all(senders);
  // The database has gained records since the backup.
  expect(before.size).toBeGreaterThan(acknowledged.length);
}, 120_000);

afterAll(async () => {
  await receiver.close();
  await rm(folder, { recursive: true, force: true });
});

describe('backup of a service under load', () => {
  it('creates a file that only its owner can read, and names what it leaves out', async () => {
    const { mode, size } = await stat(file);
    expect([(mode & 0o777).toString(8), String(size)]).toEqual(['600', summary.bytes]);
    expect(summary.leftOut).toEqual([expect.stringContaining('SECRET_KEY')]);
  });

  it('restores every acknowledged record, delivery and token to a service that works and calls hooks', async () => {
    const url = await createDatabase({ template: false });
    const restored = await ddp<{ rows: string }>(url, 'restore', file);
    expect(restored.rows).toBe(summary.rows);
    expect(await storedNumbers(url)).toEqual(expect.arrayContaining(acknowledged));
    expect(await deliveryIds(url)).toEqual(expect.arrayContaining(deliveries));

    const called = receiver.calls.length;
    const second = await startTestService(url, { config: { hooks } });
    try {
      const authorization = { authorization: `Bearer ${customer.token}` };
      const application = `${second.url}/ddp/v1/applications/${customer.organizationId}/${customer.applicationId}`;
      const counted = await fetch(`${application}/elasticsearch/_count`, { headers: authorization });
      const { count } = (await counted.json()) as { count: number };
      expect(count).toBe((await storedNumbers(url)).length);
      const stored = await fetch(`${second.url}/ddp/v1/organizations/${customer.organizationId}/records`, {
        method: 'POST',
        headers: { ...authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ serial: customer.serial, data: { n: -1 } }),
      });
      expect(await stored.json()).toMatchObject({ accepted: 1 });
      let ours = receiver.calls.slice(called).find(({ body }) => body.includes('"n":-1'));
      for (let calls = called + 1; !ours; calls++) {
        ours = (await receiver.received(calls)).slice(called).find(({ body }) => body.includes('"n":-1'));
      }
      expect(ours.headers.authorization).toBe(`Basic ${Buffer.from('u:a secret').toString('base64')}`);
    } finally {
      await second.close();
    }
    expect(await refusal(url, 'restore', file)).toMatch(/^The database is not empty/);
  }, 120_000);

  it('restores into a database with empty tables, such as an interrupted restore leaves', async () => {
    const url = await createDatabase();
    expect(await ddp(url, 'restore', file)).toMatchObject({ rows: summary.rows });
  }, 180_000);
});

describe('ddp backup failures', () => {
  it('replaces no existing file, and leaves no file when it fails', async () => {
    expect(await refusal(service.databaseUrl, 'backup', file)).toBe(`${file} exists: name a new file.\n`);
    const empty = await createDatabase({ template: false });
    const other = join(folder, 'other.backup');
    expect(await refusal(empty, 'backup', other)).toMatch(/nothing to back up/);
    expect(await filesOf('other')).toEqual([]);
  });

  it('reports a full disk and leaves no file', async () => {
    // A limit on the file size has the same effect as a full disk.
    const command = `ulimit -f 1; exec "$0" "$@"`;
    const args = [process.execPath, program, 'backup', join(folder, 'large.backup')];
    const env = { PATH: process.env['PATH'], LOG_LEVEL: 'warn', DATABASE_URL: service.databaseUrl };
    const failure = await promisify(execFile)('sh', ['-c', command, ...args], { env }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 1, stderr: expect.stringMatching(/^EFBIG: file too large/) });
    expect(await filesOf('large')).toEqual([]);
  });

  it('exits with code 1 when another backup writes the same file', async () => {
    const path = join(folder, 'cut-off.backup');
    await writeFile(`${path}.partial`, 'the first part of a backup that was cut off');
    expect(await refusal(service.databaseUrl, 'backup', path)).toMatch(/partial exists: another backup writes it/);
    expect(await filesOf('cut-off')).toEqual(['cut-off.backup.partial']);
  });
});

describe('ddp restore of special files', () => {
  let empty: string;

  beforeAll(async () => {
    empty = await createDatabase({ template: false });
  });

  it('refuses a truncated or damaged file, and changes nothing', async () => {
    const bytes = await readFile(file);
    const copy = join(folder, 'copy.backup');
    await writeFile(copy, bytes);
    for (const harm of [
      () => truncate(copy, bytes.length - 20),
      // The restore refuses any bytes after the end of the backup.
      () => writeFile(copy, Buffer.concat([bytes, Buffer.from('more')])),
      () => writeFile(copy, Buffer.concat([bytes, zstdCompressSync(Buffer.from('more'))])),
      () => writeFile(copy, Buffer.concat([bytes, Buffer.alloc(100_000)])),
      () => writeFile(copy, bytes.with(Math.floor(bytes.length / 2), bytes[Math.floor(bytes.length / 2)]! ^ 1)),
      () => writeFile(copy, 'no backup at all'),
      () => writeFile(copy, zstdCompressSync('D\0\0\0\u0001x')),
    ]) {
      await harm();
      expect(await refusal(empty, 'restore', copy)).toMatch(/^copy.backup is cut off, damaged, or not a backup/);
    }
    expect(await column(empty, `select relname as name from pg_class where relname = 'account'`)).toEqual([]);
  }, 180_000);

  it('says which file is not there', async () => {
    expect(await refusal(empty, 'restore', join(folder, 'none'))).toContain('ENOENT');
  });

  it('refuses a backup of a newer release and names that release', async () => {
    const newer = await createDatabase();
    await execute(newer, `insert into migration (name, executed_at) values ('20991231-01-wings', now())`);
    const copy = join(folder, 'newer.backup');
    await ddp(newer, 'backup', copy);
    expect(await refusal(empty, 'restore', copy)).toMatch(
      /^The backup is of release \S+, which is newer than this one/,
    );
  });
});
