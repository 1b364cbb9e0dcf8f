import { DatabaseError, type Pool, type PoolClient } from 'pg';
import { ApiError, unavailable } from '#common/errors.js';
import { isConnectionLoss } from '#database/loss.js';
import { isConflict, transaction } from '#database/transaction.js';
import type { PlainJson } from '#json/json.js';
import { type ItemResult, Rejection } from '#records/item.js';
import type { NewRecord } from '#records/new-record.js';
import type { AppendCall } from '#records/record-log.js';
import type { StoredRecord } from '#records/stored-record.js';
import type { ActivityCounter } from './activity.js';
import type { Outcome, Weighted } from './group.js';
import { claimOnce, dropOnce, type Earlier, keepAnswer, onceName } from './idempotency.js';
import { isTaken } from './key.js';
import { type Knowledge, noKnowledge, type PartitionKeeper, type Prepared, prepare, resultOf } from './prepare.js';
import type { CostlyHooks } from './separate.js';
import { type NoteStored, noteDirty, writeRecords } from './write.js';

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

/** Settings of storing. */
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
  /** Called after the commit with the stored records. It must be quick. */
  committed?(stored: readonly Pick<StoredRecord, 'id'>[]): void;
  /** Notes records for the index in the same transaction; by default for that in PostgreSQL. */
  note?: NoteStored;
  /** Keeper of partitions; by default by the time of measurement. */
  partitions?: PartitionKeeper;
  /** Counts the outcomes of items. */
  activity?: ActivityCounter;
  /** Called after each committed group with its number of calls and of new records. */
  grouped?(group: { calls: number; records: number }): void;
}

/** A call to store, with its weight in a group. */
export type Work = AppendCall & Weighted;

/**
 * Describes how a group is tried: the number of the attempt, from 1, and whether to check first which keys are taken.
 */
interface Attempt {
  number: number;
  careful: boolean;
}

/** A group, ready for its transaction. */
interface PreparedGroup {
  works: readonly Work[];
  prepared: readonly Prepared[][];
  /** Calls that are refused as a whole. */
  refused: readonly ({ error: ApiError } | undefined)[];
  pool: Pool;
  now: Date;
}

/** A group whose transaction was committed. */
interface CommittedGroup {
  outcomes: Outcome<PlainJson>[];
  /** Outcomes that were known before: refusals, and first answers of repeated calls. */
  answered: readonly (Outcome<PlainJson> | undefined)[];
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
  private readonly knowledge: Knowledge;
  /** Whether the last group had taken keys: repeated records come in series. */
  private careful = false;

  constructor(
    private readonly options: CommitOptions,
    private readonly costly: CostlyHooks,
  ) {
    this.knowledge = noKnowledge(options.partitions);
  }

  /** Returns one outcome per call, in order. One call's failure does not fail the others. */
  async run(
    group: readonly Work[],
    attempt: Attempt = { careful: this.careful, number: 1 },
  ): Promise<Outcome<PlainJson>[]> {
    let result: CommittedGroup | HeldUp;
    try {
      result = await this.commit(group, attempt);
    } catch (error) {
      if (isConnectionLoss(error)) throw unavailable(undefined, error);
      if (isTaken(error) && !attempt.careful) return this.run(group, { ...attempt, careful: true });
      if ((isConflict(error) || isPartitionGone(error)) && attempt.number < attempts) {
        this.knowledge.partitions.forget();
        return this.run(group, { ...attempt, number: attempt.number + 1 });
      }
      if (group.length === 1 || !isOwnFault(error)) throw error;
      // One call's fault must not fail the others, so each is tried alone.
      return (await Promise.all(group.map((work) => settled(this.run([work]))))).flat();
    }
    return 'heldUp' in result ? this.withoutThese(group, result.heldUp, attempt) : result.outcomes;
  }

  private async commit(works: readonly Work[], attempt: Attempt): Promise<CommittedGroup | HeldUp> {
    const { clock, committed, grouped } = this.options;
    const pool = this.poolOf(works);
    const now = new Date(clock());
    const prepared = await prepare(pool, this.knowledge, works, now.getTime() / 1000);
    const refused = works.map((call, index) => refusal(call, prepared[index]!));
    const group = { works, prepared, refused, pool, now };
    const result = await transaction(pool, (tx) => this.write(tx, group, attempt.careful), isCommitted);
    if (!isCommitted(result)) return result;
    const { stored, afterwards } = result;
    if (stored.length > 0) committed?.(stored);
    this.count(group, result);
    grouped?.({ calls: works.length, records: stored.length });
    for (const call of afterwards) call();
    return result;
  }

  /** Writes a group in a transaction. */
  private async write(tx: PoolClient, group: PreparedGroup, careful: boolean): Promise<CommittedGroup | HeldUp> {
    const { works, prepared, refused, now } = group;
    const calls = works.flatMap(({ once }, index) => (once && !refused[index] ? [once] : []));
    const earlier = calls.length > 0 ? await claimOnce(tx, calls, now) : nothing;
    const answered = works.map(({ once }, index) => refused[index] ?? (once && earlier.get(onceName(once))));
    const records = prepared.flatMap((of, index) =>
      answered[index] ? [] : of.flatMap((record) => (record instanceof Rejection ? [] : record)),
    );
    const { repeated, following } = await writeRecords(tx, records, {
      now,
      careful,
      note: this.options.note ?? noteDirty,
      follow: (fresh) => this.follow(tx, group, fresh),
    });
    if (following !== undefined && 'heldUp' in following) return following;
    this.careful = repeated.size > 0;
    const outcomes: Outcome<PlainJson>[] = [];
    for (const [index, work] of works.entries()) {
      const results = prepared[index]!.map((of) =>
        resultOf(of, of instanceof Rejection ? undefined : repeated.get(of.id)),
      );
      outcomes.push(answered[index] ?? (await answer(tx, work, results)));
    }
    return { outcomes, answered, repeated, stored: following?.stored ?? [], afterwards: following?.afterwards ?? [] };
  }

  /**
   * Writes what follows from the stored records. Stops before costly writes, unless their organization is alone in the
   * group and on the right pool. So nobody waits for the hooks of others.
   */
  private async follow(
    tx: PoolClient,
    { works, prepared, pool }: PreparedGroup,
    stored: readonly NewRecord[],
  ): Promise<Pick<CommittedGroup, 'stored' | 'afterwards'> | HeldUp> {
    const traces = tracesOf(works, prepared);
    const published = forHooks(works, prepared, stored).map((record) => storedOf(record, traces?.get(record.id)));
    const afterwards: (() => void)[] = [];
    for (const plan of this.options.plans) {
      const planned = await plan(tx, published);
      if (planned === undefined) continue;
      const { costly, slow = noOrganizations } = planned;
      if (costly.size > 0) this.costly.note(costly, slow);
      if (costly.size > 0 && !this.isApart(works, pool)) return { heldUp: costly };
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
  private isApart(works: readonly Work[], pool: Pool): boolean {
    return (
      works.every(({ organizationId }) => organizationId === works[0]!.organizationId) && this.poolOf(works) === pool
    );
  }

  /**
   * Stores the other calls of a group. The calls of these organizations return to the queue, for groups of their own.
   */
  private async withoutThese(
    group: readonly Work[],
    organizations: ReadonlySet<string>,
    attempt: Attempt,
  ): Promise<Outcome<PlainJson>[]> {
    const rest = group.filter(({ organizationId }) => !organizations.has(organizationId));
    const outcomes = rest.length > 0 ? await this.run(rest, attempt) : [];
    let next = 0;
    return group.map(
      ({ organizationId }): Outcome<PlainJson> =>
        organizations.has(organizationId) ? { again: true } : outcomes[next++]!,
    );
  }
}

/** Returns the records that hooks get: all except those of calls without hooks. */
const forHooks = (
  group: readonly Work[],
  prepared: readonly (readonly Prepared[])[],
  fresh: readonly NewRecord[],
): readonly NewRecord[] => {
  if (!group.some(({ withoutHooks }) => withoutHooks)) return fresh;
  const untold = new Set(group.flatMap(({ withoutHooks }, index) => (withoutHooks ? prepared[index]! : [])));
  return fresh.filter((record) => !untold.has(record));
};

const isCommitted = (result: CommittedGroup | HeldUp): result is CommittedGroup => !('heldUp' in result);

const noOrganizations: ReadonlySet<string> = new Set();

const attempts = 5;

const nothing: ReadonlyMap<string, Earlier> = new Map();

/**
 * Whether retention has dropped a partition that this process knew (check_violation). The next attempt makes it again.
 */
const isPartitionGone = (error: unknown): boolean => error instanceof DatabaseError && error.code === '23514';

/** Whether a statement failed while the database is reachable. */
const isOwnFault = (error: unknown): boolean =>
  error instanceof DatabaseError || error instanceof ApiError || error instanceof TypeError;

const settled = (run: Promise<Outcome<PlainJson>[]>): Promise<Outcome<PlainJson>[]> =>
  run.catch((error: unknown) => [{ error }]);

const refusal = ({ refuse }: Work, prepared: readonly Prepared[]): { error: ApiError } | undefined => {
  const rejection = refuse && prepared.find((of) => of instanceof Rejection);
  return rejection && { error: refuse(rejection) };
};

const answer = async (
  tx: PoolClient,
  { once, answer }: Work,
  results: readonly ItemResult[],
): Promise<Outcome<PlainJson>> => {
  try {
    const given = answer(results);
    if (once) await keepAnswer(tx, once, given);
    return { answer: given };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (once) await dropOnce(tx, once);
    return { error };
  }
};

/** Returns the trace context of each record whose call has one; undefined if no call has one. */
const tracesOf = (group: readonly Work[], prepared: readonly Prepared[][]): ReadonlyMap<string, string> | undefined => {
  if (group.every(({ traceparent }) => traceparent === undefined)) return undefined;
  const traces = new Map<string, string>();
  for (const [index, { traceparent }] of group.entries()) {
    if (traceparent === undefined) continue;
    for (const record of prepared[index]!) if (!(record instanceof Rejection)) traces.set(record.id, traceparent);
  }
  return traces;
};

const storedOf = ({ id, ts, metadata, data, device }: NewRecord, traceparent: string | undefined): StoredRecord => ({
  id,
  ts,
  metadata,
  data,
  device,
  ...(traceparent !== undefined && { traceparent }),
});
