import { randomBytes } from 'node:crypto';
import slugify from '@sindresorhus/slugify';
import sql from 'sql-template-tag';
import { newId } from '#entities/id.js';
import type { Claims } from './provider.js';
import type { Database } from './sessions.js';

/** The account of a sign-in: its identifier, `disabled`, or undefined if the person has none yet. */
export type Standing = { userId: string } | 'disabled' | undefined;

/**
 * Finds the account of a person by issuer and subject. A new person is linked with the account that has their verified
 * e-mail address if the operator trusts the issuer for the address's domain, and if nobody has signed in to that
 * account before. An address alone never opens an account that somebody uses (CVE-2022-31107).
 */
export async function findAccount(
  tx: Database,
  { issuer, subject, email }: Claims,
  domains: readonly string[],
  now: Date,
): Promise<Standing> {
  const { rows } = await tx.query<{ userId: string; disabled: boolean }>(sql`
    update identity i set last_used_at = ${now} from account u
     where i.issuer = ${issuer} and i.subject = ${subject} and u.id = i.user_id
    returning i.user_id as "userId", u.disabled`);
  const [known] = rows;
  if (known !== undefined) return known.disabled ? 'disabled' : { userId: known.userId };
  const domain = email?.slice(email.lastIndexOf('@') + 1).toLowerCase();
  if (domain === undefined || !domains.includes(domain)) return undefined;
  // The lock lets only one of two people link the account when both arrive at once.
  const { rows: accounts } = await tx.query<{ id: string }>(sql`
    select u.id from account u where lower(u.email) = lower(${email}) and u.type = 'user' and not u.disabled for update`);
  const id = accounts[0]?.id;
  if (id === undefined) return undefined;
  const { rows: linked } = await tx.query(sql`select from identity where user_id = ${id} limit 1`);
  if (linked.length > 0) return undefined;
  await link(tx, { issuer, subject }, id, now);
  return { userId: id };
}

const link = (tx: Database, { issuer, subject }: Pick<Claims, 'issuer' | 'subject'>, userId: string, now: Date) =>
  tx.query(sql`
    insert into identity (issuer, subject, user_id, created_at, last_used_at)
    values (${issuer}, ${subject}, ${userId}, ${now}, ${now})`);

/** Creates an account for a person of a provider, links it with the person, and returns its identifier. */
export async function createPerson(tx: Database, claims: Claims, now: Date): Promise<string> {
  const id = newId();
  const name = claims.name?.trim().slice(0, 200) || null;
  for (const username of usernamesFor(claims)) {
    // An address that is not verified, or belongs to another account, is not stored: its owner could not claim it
    // later.
    const { rowCount } = await tx.query(sql`
      insert into account (id, type, username, email, name, created_at, updated_at)
      values (${id}, 'user', ${username},
        coalesce((select ${claims.email ?? null}::text where not exists (
          select from account where lower(email) = lower(${claims.email ?? null}))), ${`${id}@account.invalid`}),
        ${name}, ${now}, ${now})
      on conflict do nothing`);
    if (rowCount === 0) continue;
    await link(tx, claims, id, now);
    return id;
  }
  throw new Error('No user name was free.');
}

/** Yields user names to try, beginning with the person's name at the provider. */
function* usernamesFor({ username, email, name }: Claims): Generator<string> {
  const wanted = slugify(username ?? email?.split('@')[0] ?? name ?? '', { separator: '-' }).slice(0, 30);
  const base = /^[a-z0-9][a-z0-9-]+$/.test(wanted) ? wanted : 'user';
  if (base !== 'user') yield base;
  for (let attempt = 0; attempt < 20; attempt++) yield `${base}-${randomBytes(3).toString('hex')}`;
}
