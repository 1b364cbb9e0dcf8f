import type { Role, TokenScope } from './enums.js';

/** Who calls: an organization, or one of its members acting in it. */
export interface Caller {
  readonly tokenId: string;
  readonly organizationId: string;
  /** The member, where the token is bound to one. */
  readonly userId: string | null;
  /** The device whose records are all that the caller may post; null for all other callers. */
  readonly deviceId: string | null;
  /** The product whose devices the caller may register, which is all that it may do; null for all other callers. */
  readonly productId: string | null;
  /** `owner` for the organization itself. */
  readonly role: Role;
  readonly scope: TokenScope;
}

/** On whose behalf something is read, and within which bounds. The context of a call is one. */
export interface ReadingCall {
  readonly caller: Pick<Caller, 'organizationId'>;
  /** Aborted when the client goes away, or when the time of the call is over. */
  readonly signal: AbortSignal;
  /** Counts characters of rows as they are read; 0 only asks whether more may come. @throws tooLarge, rateLimited */
  readonly weighRows: (characters: number) => void;
  /**
   * How many milliseconds a call has left that asks for so much that its statements must be possible to cancel; undefined for
   * others. @throws timedOut when the time is over
   */
  readonly timeLeft: () => number | undefined;
}
