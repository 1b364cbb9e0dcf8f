import type { Role, TokenScope } from './enums.js';

/** Who calls: an organization, or one of its members acting in it. */
export interface Caller {
  readonly tokenId: string;
  readonly organizationId: string;
  /** The member, where the token is bound to one. */
  readonly userId: string | null;
  /** `owner` for the organization itself. */
  readonly role: Role;
  readonly scope: TokenScope;
}
