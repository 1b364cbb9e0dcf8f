import type { EntityManager } from '@mikro-orm/postgresql';
import type { GraphQLResolveInfo } from 'graphql';
import type { Sql } from 'sql-template-tag';
import type { Caller, ReadingCall } from '../entities/caller.js';

/** Runs one statement and gives its rows. Times come as ISO 8601 text, 64-bit integers as text. */
export type Read = <Row extends object>(query: Sql) => Promise<Row[]>;

/**
 * Counts characters of values as they come from a connection, for one request. With 0 it only says whether more may come.
 * @throws where they are too many: the other rows of the statement are dropped then, and the statement fails with that.
 */
export type WeighRows = ReadingCall['weighRows'];

/** A number that was counted in a snapshot, and until when it may be given again (`performance.now`). */
export interface CountedList {
  readonly snapshot: string;
  readonly total: number;
  readonly until: number;
}

/** A field of an operation, and where in the answer it stands. */
export type Place = Pick<GraphQLResolveInfo, 'fieldNodes' | 'path'>;

/** Counts the objects that a request of the graph returns. */
export interface ObjectCounter {
  /**
   * Reserves as many objects as a list may have, before it is read. Returns a promise where lists that are being read have to
   * end first. `size`: the argument that limits the list, and the objects that each item of it counts as.
   * @throws exceeded where this level of lists may have too many
   */
  reserve(place: Place, most: number, size?: { name: string; weight: number }): Promise<void> | undefined;
  /** Replaces a reservation by the objects that came. @throws exceeded */
  settle(place: Place, most: number, found: number): void;
  /** Counts the objects of a list whose size no argument tells, in so many calls of its field. @throws exceeded */
  count(place: Place, objects: number, calls?: number): void;
}

/** What every resolver gets, by REST and by the graph. */
export interface Context extends ReadingCall {
  readonly caller: Caller;
  /** The unit of work of this call, for whatever changes things. */
  readonly em: EntityManager;
  /** Stores one new thing. @throws an error that names the constraint which forbids it */
  readonly insert: (entity: object) => Promise<void>;
  /** Point reads and lists on the pipelined connection: one round trip, never a slow query. */
  readonly read: Read;
  /**
   * A read that may turn out expensive: on a pool that organizations share fairly, cancelled after `milliseconds` or by the
   * signal, which is that of the call unless given. Throws TIMEOUT where it takes longer.
   */
  readonly readWithin: (query: Sql, milliseconds: number, signal?: AbortSignal) => Promise<object[]>;
  /** Origin of this service as the caller sees it, for links and avatars. */
  readonly origin: string;
  readonly requestId: string;
  /** W3C trace context that work for this call goes on with, where there is one. */
  readonly traceparent: string | undefined;
  /** Counts the objects of a request of the graph, of which none is read once they are too many. Absent on REST. */
  readonly objects?: ObjectCounter;
  /** Counts characters of rows that are read in another way than by `read` and `readWithin`. @throws tooLarge, rateLimited */
  readonly weighRows: WeighRows;
  /** Counts the call, as a call with an unknown token is counted, for the address that it came from. @throws rateLimited */
  countUnknown(): Promise<void>;
  /** Adds a header to the answer of a REST operation, for what its shape has no field for. The graph has a field. */
  addHeader(name: string, value: string): void;
  /** Adds fields to the log line of the request, such as the device that it was about. Never a secret. */
  note(fields: Readonly<Record<string, string>>): void;
  /** Tells the dispatcher that deliveries were committed. Only a hint: it polls as well. */
  readonly wake: () => void;
  /** Numbers of lists that this process counted lately, by their statement and its values, with the snapshot that they hold in. */
  readonly counts: Map<string, CountedList>;
  /** Batching loaders of this call, by the function that makes them. */
  readonly loaders: Map<unknown, unknown>;
}
