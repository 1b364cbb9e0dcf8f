import type { Role, TokenScope } from './enums.js';

/** The caller: an organization, or one of its members acting in it. */
export interface Caller {
  /** Identifier of the caller's token or session. */
  readonly tokenId: string;
  /** Whether the caller uses a session, which always belongs to a member. */
  readonly bySession: boolean;
  readonly organizationId: string;
  /** The member to whom the token or session belongs; null for the organization itself. */
  readonly userId: string | null;
  /** The device of the caller's token. The caller may only speak for this device. Null for all other callers. */
  readonly deviceId: string | null;
  /**
   * The product of a provisioning token. The caller may only register devices of this product. Null for all other
   * callers.
   */
  readonly productId: string | null;
  /**
   * The application of a link to a dashboard. The caller may only read this application. Null for all other callers.
   */
  readonly applicationId: string | null;
  /** `owner` for the organization itself, `member` for a link to a dashboard. */
  readonly role: Role;
  readonly scope: TokenScope;
  /** Names of the token and of the member, for the audit log. */
  readonly tokenName: string | null;
  readonly userName: string | null;
  /**
   * Position in the primary's log when the caller was authenticated: a standby that has replayed it has everything
   * acknowledged before. Absent: only the primary is read.
   */
  readonly position?: string | null;
}

/** The caller for whom something is read, and the limits of the reading. The context of a call implements this. */
export interface ReadingCall {
  readonly caller: Pick<Caller, 'organizationId'>;
  /** Position that a standby must have replayed to answer the call's reads; undefined: only the primary is read. */
  readonly position?: string | undefined;
  /** Aborted when the client disconnects, or the time of the call is over. */
  readonly signal: AbortSignal;
  /**
   * Counts characters of rows as they are read; 0 only checks whether more may be read.
   * @throws tooLarge, rateLimited
   */
  readonly weighRows: (characters: number) => void;
  /**
   * Returns the remaining milliseconds of a large call, whose statements must be cancellable; undefined for other
   * calls.
   * @throws timedOut when the time is over.
   */
  readonly timeLeft: () => number | undefined;
}
