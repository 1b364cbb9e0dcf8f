import type { EntityManager } from '@mikro-orm/postgresql';
import type { GraphQLResolveInfo } from 'graphql';
import type { Sql } from 'sql-template-tag';
import type { Trail } from '#audit/trail.js';
import type { WeighRows } from '#database/row-weight.js';
import type { Caller, ReadingCall } from '#entities/caller.js';

/** Runs one statement and returns its rows. Times are ISO 8601 text, 64-bit integers are text. */
export type Read = <Row extends object>(query: Sql) => Promise<Row[]>;

/** A total that was counted in a snapshot, and the time until which it may be reused (`performance.now`). */
export interface CountedList {
  readonly snapshot: string;
  readonly total: number;
  readonly until: number;
}

/** A field of an operation, and its path in the answer. */
export type FieldPosition = Pick<GraphQLResolveInfo, 'fieldNodes' | 'path'>;

/** Counts the objects that a GraphQL request returns. */
export interface ObjectCounter {
  /**
   * Reserves the maximum number of objects of a list before it is read. Returns a promise when lists that are being
   * read have to finish first.
   * @param size the argument that limits the list, and the number of objects that each item counts as.
   * @throws exceeded when this level of lists may return too many.
   */
  reserve(place: FieldPosition, most: number, size?: { name: string; weight: number }): Promise<void> | undefined;
  /**
   * Replaces a reservation by the number of objects returned.
   * @throws exceeded
   */
  settle(place: FieldPosition, most: number, found: number): void;
  /**
   * Counts the objects of a list without a size argument, for a number of calls of its field.
   * @throws exceeded
   */
  count(place: FieldPosition, objects: number, calls?: number): void;
}

/** The context of every resolver, over REST and GraphQL. */
export interface Context extends ReadingCall {
  readonly caller: Caller;
  /** Unit of work of this call, for operations that change data. */
  readonly em: EntityManager;
  /** Events that the call leaves in the audit log. */
  readonly audit: Pick<Trail, 'begin' | 'about' | 'summarize' | 'skip' | 'event' | 'end' | 'refused' | 'shown'>;
  /** Makes all further reads of this call use the primary, because the call changes something. */
  readPrimary(): void;
  /**
   * Runs all statements of this call in the transaction of another call, including its reads. Notes its events there
   * too.
   */
  within(other: Pick<Context, 'em' | 'audit'>): void;
  /**
   * Stores one new entity, with the event of the operation.
   * @throws an error that names the violated constraint.
   */
  readonly insert: (entity: object) => Promise<void>;
  /**
   * Stores the changes of one loaded entity, with the event of the operation.
   * @throws OptimisticLockError if another call changed the row meanwhile, or an error that names the violated constraint.
   */
  update(entity: object): Promise<void>;
  /** Reads single rows and lists on the pipelined connection, in one round trip. Not for queries that may be slow. */
  readonly read: Read;
  /** Reads lists of small cost that need not be on the primary: on a standby if there is one, else like `read`. */
  readonly readList: Read;
  /**
   * Runs a read that may be expensive, on a pool that organizations share fairly, and on a standby if there is one. The
   * read is cancelled after `milliseconds`, or when the signal aborts (by default that of the call).
   * @throws timedOut when it takes longer.
   */
  readonly readWithin: (query: Sql, milliseconds: number, signal?: AbortSignal) => Promise<object[]>;
  /** Origin of this service as the caller sees it, for links and avatars. */
  readonly origin: string;
  readonly requestId: string;
  /** W3C trace context that work for this call continues; undefined when there is none. */
  readonly traceparent: string | undefined;
  /** Counts the objects of a GraphQL request. Once there are too many, no more are read. Absent on REST. */
  readonly objects?: ObjectCounter;
  /**
   * Counts characters of rows that are read by other means than `read` and `readWithin`.
   * @throws tooLarge, rateLimited
   */
  readonly weighRows: WeighRows;
  /**
   * Counts the call against its IP address, as a call with an unknown token is counted.
   * @throws rateLimited
   */
  countUnknown(): Promise<void>;
  /**
   * Adds a header to the answer of a REST operation, for data that its type has no field for. GraphQL has a field
   * instead.
   */
  addHeader(name: string, value: string): void;
  /** Adds fields to the request's log line, such as the device. Never add a secret. */
  note(fields: Readonly<Record<string, string>>): void;
  /** Hints to the dispatcher that deliveries were committed. The dispatcher also polls, so a lost hint only delays. */
  readonly wake: () => void;
  /**
   * Totals of lists that this process counted recently, by statement and values, with the snapshot in which they are
   * valid.
   */
  readonly counts: Map<string, CountedList>;
  /** Batching loaders of this call, by the function that creates them. */
  readonly loaders: Map<unknown, unknown>;
}
