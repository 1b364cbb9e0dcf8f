import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Role } from '../entities/enums.js';
import type { Notice } from './notifications.js';
import type { Sized, Stream } from './stream.js';

/** Time after which no further query of an organization's subscriptions begins, in milliseconds. */
export const choosingTimeout = 2000;
/** Rows of a page. */
export const pageSize = 500;

/** What all feeds are made with. */
export interface FeedShared {
  /** For the few statements that all subscribers share. */
  pool: Pool;
  /** For what may be slow: the queries of subscriptions, and what came since a cursor. */
  slowPool: Pool;
  recheck: Recheck;
  log: Logger;
}

/** What a subscription may see, and by which token. It is checked again for as long as the subscription lasts. */
export interface Claim {
  tokenId: string;
  /** The bearer's role in the organization when it subscribed. */
  role: Role;
  /** The application that it is about; absent where it is about the organization. */
  applicationId: string | null;
  /** The hook whose deliveries are told. Only callers that may change the application see them. */
  hookId: string | null;
}

/** Checks in one statement whether claims still hold: for each, the error where it no longer does. */
export type Recheck = (claims: readonly Claim[]) => Promise<readonly (Error | undefined)[]>;

/** Somebody who is told. */
export interface Subscriber<Item> {
  readonly claim: Claim;
  readonly organizationId: string;
  readonly stream: Stream<Item>;
}

/** Answers a subscriber: rows to tell, and what became of the others. */
export interface Told<One> {
  rows: readonly One[];
  /** Number of rows that its query did not judge in time. */
  missed: number;
  /** Rows of a query that did not begin: it judges them the next time. */
  open: readonly One[];
}

/** A row that was committed. */
export interface Row<Item> extends Sized<Item> {
  /** Orders what is read together. */
  cursor: string;
  /** The transaction that wrote it. */
  xid: string;
}

/** What to read: rows that a snapshot did not see, page by page. */
export interface Question<Someone> {
  subscribers: readonly Someone[];
  /** The snapshot of the last look at everything. */
  unseenBy: string;
  /** The ranges that notices named. Absent: everything made since `since` (milliseconds). */
  ranges?: readonly Notice[];
  since: number;
  /** Only rows that this snapshot did see. */
  seenBy?: string;
  /** Where the last page ended. */
  after?: string;
}

/** What makes one kind of feed. */
export interface FeedOptions<Item, One extends Row<Item>, Someone extends Subscriber<Item>> extends FeedShared {
  /** Reads a page, the earliest row first. After a full page another is read. */
  read(question: Question<Someone>, pool: Pool): Promise<One[]>;
  /** Who may be told of which rows. */
  sort(rows: readonly One[], subscribers: readonly Someone[]): Map<Someone, readonly One[]>;
  /** Whether the subscriber has a query that decides about each row. */
  isChoosy?(someone: Someone): boolean;
  /** Finds out by their queries who of one organization is told of what; begins no query after {@link choosingTimeout}, and one at least. */
  choose?(wanted: ReadonlyMap<Someone, readonly One[]>): Promise<Map<Someone, Told<One>>>;
  /** Called when the first subscriber comes and when the last one goes. */
  onDemand(demanded: boolean): void;
  /** Least time for which a version is remembered as told, in milliseconds; 0: until the next look at everything. */
  remembered: number;
}
