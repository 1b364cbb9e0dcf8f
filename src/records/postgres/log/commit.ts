import { DatabaseError, type Pool, type PoolClient } from 'pg';
import type { CommitBus } from '#common/commit-bus.js';
import { ApiError, unavailable } from '#common/errors.js';
import { isConnectionLoss } from '#database/connection-loss.js';
import { isConflict, transaction } from '#database/transaction.js';
import type { NewRecord } from '#records/new-record.js';
import type { AppendResult } from '#records/record-log.js';
import type { StoredRecord } from '#records/stored-record.js';
import { completeRecords } from '../earlier/complete.js';
import type { ActivityCounter } from './activity.js';
import type { CostlyHooks } from './costly-hooks.js';
import type { WorkOutcome } from './group.js';
import { claimIdempotencyKeys, type Earlier, keepResult, nameOfKey } from './idempotency-key.js';
import { createIngestCache, type IngestCache, type PartitionKeeper } from './prepare.js';
import {
  idempotencyKeysOf,
  type PreparedGroup,
  prepareGroup,
  publishedOf,
  recordsOf,
  resultOf,
  type Work,
} from './prepared-group.js';
import { isTaken } from './record-key.js';
import { type CompleteRecords, type NoteStored, noteDirty, writeRecords } from './write.js';

/** Returns milliseconds since 1970. */
export type Clock = () => number;

/** Writes that follow from stored records, in the same transaction. */
export interface PlannedWrites {
  /** Organizations whose writes take long, and those of them that are certain to be slow. */
  costly: ReadonlySet<string>;
  slow?: ReadonlySet<string>;
  /** Writes. Returns a function to call after the commit, or undefined. */
  write(): Promise<(() => void) | undefined>;
}

/** Plans the writes that follow from stored records; undefined if there are none. */
export type PlanWrites = (tx: PoolClient, stored: readonly StoredRecord[]) => Promise<PlannedWrites | undefined>;

export interface CommitOptions {
  /** A pool of at least eight connections. */
  pool: Pool;
  /** For the transactions of organizations whose hooks make them long; by default `pool`. */
  slowPool?: Pool;
  clock: Clock;
  /**
   * Plan the writes that follow from the records that a transaction stores, one after the other. They are committed
   * together with the records.
   */
  plans: readonly PlanWrites[];
  /** Publishes the stored records after the commit. */
  bus?: CommitBus;
  /** Notes records for the index in the same transaction; by default for that in PostgreSQL. */
  note?: NoteStored;
  /** Computes the records that read earlier ones; by default from those in PostgreSQL. */
  complete?: CompleteRecords;
  /** Keeper of partitions; by default by the time of measurement. */
  partitions?: PartitionKeeper;
  /** Counts the outcomes of items. */
  activity?: ActivityCounter;
  /** Called after each committed group with its number of calls and of new records. */
  grouped?(group: { calls: number; records: number }): void;
}

/** Describes one attempt at a group: its number, from 1, and whether to check first which keys are taken. */
interface Attempt {
  number: number;
  checksKeysFirst: boolean;
}

/** A group whose transaction was committed. */
interface CommittedGroup {
  outcomes: WorkOutcome<AppendResult>[];
  /** Outcomes that were known before: refusals, and results of earlier calls. */
  answered: readonly (WorkOutcome<AppendResult> | undefined)[];
  repeated: ReadonlyMap<string, string>;
  stored: readonly NewRecord[];
  afterwards: readonly (() => void)[];
}

/**
 * A group whose transaction was rolled back, because hooks of these organizations make it long. Their calls wait again,
 * for isolated transactions.
 */
interface HeldUp {
  heldUp: ReadonlySet<string>;
}

/** Stores groups of calls, each in one transaction. Groups that fail for a temporary reason are tried again. */
export class GroupCommit {
  private readonly cache: IngestCache;
  /** Whether the last group had taken keys: repeated records come in series. */
  private checksKeysFirst = false;

  constructor(
    private readonly options: CommitOptions,
    private readonly costly: CostlyHooks,
  ) {
    this.cache = createIngestCache(options.partitions);
  }

  /** Returns one outcome per call, in order. One call's failure does not fail the others. */
  async run(
    group: readonly Work[],
    attempt: Attempt = { checksKeysFirst: this.checksKeysFirst, number: 1 },
  ): Promise<WorkOutcome<AppendResult>[]> {
    let result: CommittedGroup | HeldUp;
    try {
      result = await this.commit(group, attempt);
    } catch (error) {
      if (isConnectionLoss(error)) throw unavailable(undefined, error);
      if (isTaken(error) && !attempt.checksKeysFirst) return this.run(group, { ...attempt, checksKeysFirst: true });
      if ((isConflict(error) || isPartitionGone(error)) && attempt.number < attempts) {
        this.cache.partitions.forget();
        return this.run(group, { ...attempt, number: attempt.number + 1 });
      }
      if (group.length === 1 || !isOwnFault(error)) throw error;
      // One call's fault must not fail the others, so each is tried alone.
      return (await Promise.all(group.map((work) => settled(this.run([work]))))).flat();
    }
    return 'heldUp' in result ? this.withoutThese(group, result.heldUp, attempt) : result.outcomes;
  }

  private async commit(works: readonly Work[], attempt: Attempt): Promise<CommittedGroup | HeldUp> {
    const { clock, bus, grouped } = this.options;
    const group = await prepareGroup(works, this.poolOf(works), this.cache, new Date(clock()));
    const write = (tx: PoolClient) => this.write(tx, group, attempt.checksKeysFirst);
    const result = await transaction(group.pool, write, isCommitted);
    if (!isCommitted(result)) return result;
    const { stored, afterwards } = result;
    if (stored.length > 0) bus?.emit('records', stored);
    this.count(group, result);
    grouped?.({ calls: works.length, records: stored.length });
    for (const call of afterwards) call();
    return result;
  }

  /** Writes a group in a transaction. */
  private async write(
    tx: PoolClient,
    group: PreparedGroup,
    checksKeysFirst: boolean,
  ): Promise<CommittedGroup | HeldUp> {
    const { works, prepared, refused, now } = group;
    const keys = idempotencyKeysOf(group);
    const earlier = keys.length > 0 ? await claimIdempotencyKeys(tx, keys, now) : noEarlier;
    const answered = works.map(
      ({ idempotencyKey }, index) => refused[index] ?? (idempotencyKey && earlier.get(nameOfKey(idempotencyKey))),
    );
    const { repeated, following } = await writeRecords(tx, recordsOf(group, answered), {
      now,
      checksKeysFirst,
      note: this.options.note ?? noteDirty,
      complete: this.options.complete ?? completeRecords,
      follow: (fresh) => this.follow(tx, group, fresh),
    });
    if (following !== undefined && 'heldUp' in following) return following;
    this.checksKeysFirst = repeated.size > 0;
    const outcomes: WorkOutcome<AppendResult>[] = [];
    for (const [index, work] of works.entries()) {
      const known = answered[index];
      if (known) {
        outcomes.push(known);
        continue;
      }
      const answer = resultOf(work, prepared[index]!, repeated);
      if (work.idempotencyKey) await keepResult(tx, work.idempotencyKey, answer);
      outcomes.push({ answer });
    }
    return { outcomes, answered, repeated, stored: following?.stored ?? [], afterwards: following?.afterwards ?? [] };
  }

  /**
   * Writes what follows from the stored records. Stops before costly writes, unless their organization is alone in the
   * group and on the right pool. So nobody waits for the hooks of others.
   */
  private async follow(
    tx: PoolClient,
    group: PreparedGroup,
    stored: readonly NewRecord[],
  ): Promise<Pick<CommittedGroup, 'stored' | 'afterwards'> | HeldUp> {
    const published = publishedOf(group, stored);
    const afterwards: (() => void)[] = [];
    for (const plan of this.options.plans) {
      const planned = await plan(tx, published);
      if (planned === undefined) continue;
      const { costly, slow = noOrganizations } = planned;
      if (costly.size > 0) this.costly.note(costly, slow);
      if (costly.size > 0 && !this.isIsolated(group)) return { heldUp: costly };
      const afterward = await planned.write();
      if (afterward) afterwards.push(afterward);
    }
    return { stored, afterwards };
  }

  private count({ works, prepared, refused, now }: PreparedGroup, { answered, repeated }: CommittedGroup): void {
    const { activity } = this.options;
    for (const [index, { organizationId }] of works.entries()) {
      if (refused[index]) activity?.countRejected(organizationId, prepared[index]!, now);
      else if (!answered[index]) activity?.count(organizationId, prepared[index]!, repeated, now);
    }
  }

  private poolOf([first]: readonly Work[]): Pool {
    const { pool, slowPool = pool } = this.options;
    return this.costly.isSlow(first!.organizationId) ? slowPool : pool;
  }

  /** Whether a group is of one organization, on the pool for it. */
  private isIsolated({ works, pool }: PreparedGroup): boolean {
    const [first] = works;
    return works.every(({ organizationId }) => organizationId === first!.organizationId) && this.poolOf(works) === pool;
  }

  /**
   * Stores the other calls of a group. The calls of these organizations return to the queue, for groups of their own.
   */
  private async withoutThese(
    group: readonly Work[],
    organizations: ReadonlySet<string>,
    attempt: Attempt,
  ): Promise<WorkOutcome<AppendResult>[]> {
    const rest = group.filter(({ organizationId }) => !organizations.has(organizationId));
    const outcomes = rest.length > 0 ? await this.run(rest, attempt) : [];
    let next = 0;
    return group.map(
      ({ organizationId }): WorkOutcome<AppendResult> =>
        organizations.has(organizationId) ? { again: true } : outcomes[next++]!,
    );
  }
}

const isCommitted = (result: CommittedGroup | HeldUp): result is CommittedGroup => !('heldUp' in result);

const noOrganizations: ReadonlySet<string> = new Set();

/** Maximum number of attempts of a group that conflicts with others. */
const attempts = 5;

const noEarlier: ReadonlyMap<string, Earlier> = new Map();

/**
 * Whether retention has dropped a partition that this process knew (check_violation). The next attempt makes it again.
 */
const isPartitionGone = (error: unknown): boolean => error instanceof DatabaseError && error.code === '23514';

/** Whether a statement failed while the database is reachable. */
const isOwnFault = (error: unknown): boolean =>
  error instanceof DatabaseError || error instanceof ApiError || error instanceof TypeError;

const settled = (run: Promise<WorkOutcome<AppendResult>[]>): Promise<WorkOutcome<AppendResult>[]> =>
  run.catch((error: unknown) => [{ error }]);
