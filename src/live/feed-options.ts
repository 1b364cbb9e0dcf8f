import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Role } from '#entities/enums.js';
import type { ChangeNotice } from './notifications.js';
import type { LiveStream, Sized } from './stream.js';

/** Time after which no further query of an organization's subscriptions begins, in milliseconds. */
export const choosingTimeout = 2000;
/** Number of rows of a page. */
export const pageSize = 500;

export interface FeedShared {
  /** For the few statements that all subscribers share. */
  pool: Pool;
  /** For statements that may be slow: the queries of subscriptions, and reads of what was committed since a cursor. */
  slowPool: Pool;
  recheck: Recheck;
  log: Logger;
}

/** Access of a subscription, and the token that gives it. It is checked again for as long as the subscription lasts. */
export interface SubscriberClaim {
  tokenId: string;
  /** Role of the caller in the organization when it subscribed. */
  role: Role;
  /** Application of the subscription; null if it concerns the organization. */
  applicationId: string | null;
  /** Hook whose deliveries are published. Only callers that may change the application see them. */
  hookId: string | null;
}

/** Checks in one statement whether claims still hold. Returns an error for each claim that no longer does. */
export type Recheck = (claims: readonly SubscriberClaim[]) => Promise<readonly (Error | undefined)[]>;

export interface Subscriber<Item> {
  readonly claim: SubscriberClaim;
  readonly organizationId: string;
  readonly stream: LiveStream<Item>;
}

/** Result of judging rows for a subscriber: rows to publish, and the fate of the others. */
export interface Told<One> {
  rows: readonly One[];
  /** Number of rows that the subscriber's query did not judge in time. */
  missed: number;
  /** Rows whose query did not begin. The query judges them next time. */
  open: readonly One[];
}

/** A committed row. */
export interface CommittedRow<Item> extends Sized<Item> {
  /** Position of the row among those that are read together. */
  cursor: string;
  /** Transaction that wrote the row. */
  xid: string;
}

/** Selects the rows to read, page by page: rows that a snapshot did not see. */
export interface FeedQuestion<Someone> {
  subscribers: readonly Someone[];
  /** Snapshot of the last full poll. */
  unseenBy: string;
  /** Ranges that notices named. Absent for everything made since `since` (milliseconds). */
  ranges?: readonly ChangeNotice[];
  since: number;
  /** Restricts the rows to those that this snapshot saw. */
  seenBy?: string;
  /** End of the last page. */
  after?: string;
}

export interface FeedOptions<Item, One extends CommittedRow<Item>, Someone extends Subscriber<Item>>
  extends FeedShared {
  /** Reads a page, the earliest row first. The caller reads another after a full page. */
  read(question: FeedQuestion<Someone>, pool: Pool): Promise<One[]>;
  /** Assigns rows to the subscribers that may see them. */
  sort(rows: readonly One[], subscribers: readonly Someone[]): Map<Someone, readonly One[]>;
  /** Whether the subscriber has a query that decides about each row. */
  isChoosy?(someone: Someone): boolean;
  /**
   * Judges rows by the queries of one organization's subscribers. It begins no query after {@link choosingTimeout}, but
   * at least one.
   */
  choose?(wanted: ReadonlyMap<Someone, readonly One[]>): Promise<Map<Someone, Told<One>>>;
  /** Called when the first subscriber arrives and when the last one leaves. */
  onDemand(demanded: boolean): void;
  /**
   * Minimum time for which a published version is remembered, in milliseconds. With 0 it is remembered until the next
   * full poll.
   */
  remembered: number;
}

/** Returns the rows of each subscriber's organization that it can see. Who sees none is absent. */
export const visibleRows = <Row extends { organizationId: string }, Someone extends { organizationId: string }>(
  rows: readonly Row[],
  subscribers: readonly Someone[],
  canSee: (someone: Someone, row: Row) => boolean,
): Map<Someone, Row[]> => {
  const byOrganization = Map.groupBy(rows, ({ organizationId }) => organizationId);
  return new Map(
    subscribers.flatMap((someone) => {
      const all = byOrganization.get(someone.organizationId) ?? [];
      const some = all.filter((row) => canSee(someone, row));
      return some.length === 0 ? [] : [[someone, some] as const];
    }),
  );
};
