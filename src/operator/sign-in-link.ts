import { randomBytes } from 'node:crypto';
import sql from 'sql-template-tag';
import { hashToken } from '#auth/token.js';
import { hourMs } from '#common/time.js';
import type { Queryable } from '#database/queryable.js';
import { isId } from '#entities/id.js';
import { withEvents } from './event.js';

/** Validity of a link, in milliseconds. */
const lifetime = hourMs;

interface Found {
  id: string;
  name: string;
  disabled: boolean;
  /** Whether the account was found by an address that a provider of sign-ins named, and no operator. */
  isClaimed: boolean;
  organizations: string[];
}

/**
 * Creates the token of a link that signs a user in once, within an hour. Earlier links of the user become invalid. Each
 * organization of the user gets an event.
 * @param who identifier, user name or e-mail address of the user
 */
export async function createSignInLink(db: Queryable, who: string, at: Date) {
  const which = isId(who) ? sql`id = ${who}` : sql`(username = ${who.toLowerCase()} or lower(email) = lower(${who}))`;
  const { rows } = await db.query<Found>(sql`
    select id, coalesce(name, username) as name, disabled,
           -- A sign-in that creates an account stores the person at the same moment.
           lower(email) = lower(${who}) and exists (
             select from identity i where i.user_id = a.id and i.created_at = a.created_at) as "isClaimed",
           array(select organization_id::text from membership where user_id = a.id order by 1) as organizations
      from account a where ${which} and type = 'user'`);
  const [user] = rows;
  if (user === undefined) throw new Error(`There is no user ${who}.`);
  if (user.isClaimed)
    throw new Error(`The address ${who} was named by a provider of sign-ins: give the user name or the identifier.`);
  const { id, name, disabled, organizations } = user;
  if (disabled) throw new Error(`The user ${who} is disabled: enable it first.`);
  const token = randomBytes(32).toString('base64url');
  const expiresAt = new Date(at.getTime() + lifetime);
  await db.query(sql`delete from sign_in_link where user_id = ${id}`);
  const inserted = sql`
    insert into sign_in_link (hash, user_id, expires_at) values (${hashToken(token)}, ${id}, ${expiresAt})`;
  const event = { action: 'user sign-in-link', target: { kind: 'user', id, name } };
  const events = (organizations.length > 0 ? organizations : [null]).map((of) => ({ ...event, organizationId: of }));
  await db.query(withEvents(inserted, ...events));
  return { token, expiresAt };
}
