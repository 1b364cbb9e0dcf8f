import { statfs } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { Queryable } from '#database/queryable.js';
import type { BlockMode } from '#records/postgres/blocks/block-mode.js';
import { checkAlerts } from './alerts.js';
import { checkBlocks } from './blocks.js';
import { checkCircuits } from './circuits.js';
import { checkClocks } from './clocks.js';
import { type DoctorCheck, type Finding, finding } from './finding.js';
import { type ExaminedProvider, findProviders } from './providers.js';
import { checkClock, checkConnections, checkIndexes, checkSettings, checkVacuum } from './server.js';
import { checkSize } from './size.js';
import { type ExaminedStandby, findStandbys } from './standbys.js';
import { checkDeliveries, checkIndexing, checkJobs, checkPartitions, checkRollups } from './work.js';

const ofServer = [checkSettings, checkConnections, checkClock, checkVacuum, checkIndexes];
const ofService = [
  checkPartitions,
  checkDeliveries,
  checkCircuits,
  checkJobs,
  checkRollups,
  checkIndexing,
  checkClocks,
];

/** The database, and what else the doctor examines. */
export interface DoctorOptions {
  database: Queryable;
  now: Date;
  /** Folder of the embedded database; undefined when the disk belongs to another machine. */
  dataDir: string | undefined;
  /** Migrations of this release that the database lacks. */
  pending: readonly string[];
  /** Whether e-mail is configured. */
  sendsMail: boolean;
  /** Use of blocks; undefined: what is usual for the database. */
  blockMode?: BlockMode | undefined;
  /** Standbys that answer reads. */
  standbys?: readonly ExaminedStandby[];
  /** Providers by which people sign in. */
  providers?: readonly ExaminedProvider[];
  /** Throws when no key decrypts the stored secrets. */
  checkSecretKey(): Promise<void>;
}

/** Runs all checks and changes nothing. A check that fails is a finding too. */
export async function examine(options: DoctorOptions): Promise<Finding[]> {
  const { database, now, dataDir, pending, standbys = [], providers = [], checkSecretKey } = options;
  const schema = finding('schema', 'of this release', 'wrong', pending.length > 0 ? [waiting(pending)] : []);
  const findings = [schema, await checkDisk(dataDir)];
  // The tables of this release are checked only if all migrations are applied.
  const checks =
    pending.length > 0
      ? ofServer
      : [...ofServer, ...ofService, ...ofSettings(options), checkSize(availableParallelism(), dataDir)];
  for (const check of checks) findings.push(await check(database, now).catch(failed));
  if (standbys.length > 0) findings.push(findStandbys(standbys));
  if (providers.length > 0) findings.push(findProviders(providers));
  if (pending.length > 0) return findings;
  const fault = await checkSecretKey().then(() => [], sentence);
  return [...findings, finding('secret key', 'opens what is stored', 'wrong', fault)];
}

const ofSettings = ({ blockMode, sendsMail }: DoctorOptions): DoctorCheck[] => [
  checkBlocks(blockMode),
  checkAlerts(sendsMail),
];

const failed = (error: unknown): Finding =>
  finding('check of the database', '', 'wrong', [`It failed: ${sentence(error)[0]}`]);

const waiting = (pending: readonly string[]): string =>
  `${pending.length} migrations are to be applied: start the service, or run ddp migrate.`;

const sentence = (error: unknown): string[] => [error instanceof Error ? error.message : String(error)];

/** Minimum of free disk space, in bytes and as a share of the disk's size. */
const freeAtLeast = { bytes: 2 ** 30, part: 0.1 };

async function checkDisk(dataDir: string | undefined): Promise<Finding> {
  if (dataDir === undefined) return finding('disk', 'not checked: the database runs on its own server', 'note', []);
  const { bavail, blocks, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  const says = `${(free / 2 ** 30).toFixed(1)} GiB free of ${((blocks * bsize) / 2 ** 30).toFixed(1)}`;
  const isFull = free < freeAtLeast.bytes || bavail < freeAtLeast.part * blocks;
  return finding('disk', says, 'wrong', isFull ? [`Only ${says}: make room before it is full.`] : []);
}
