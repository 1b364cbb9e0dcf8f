import { randomBytes } from 'node:crypto';
import slugify from '@sindresorhus/slugify';
import sql from 'sql-template-tag';
import { newId } from '#entities/id.js';
import type { Claims } from './provider.js';
import type { Database } from './sessions.js';

/** Whose sign-in it is: an account, a disabled one, or nobody's yet. */
export type Standing = { userId: string } | 'disabled' | undefined;

/**
 * Finds the account of whom a provider named. A person is its issuer and subject. One who comes for the first time is linked
 * with the account of a verified e-mail address where the operator named its domain for the issuer, and nobody signs in to
 * the account yet: an address alone never opens an account that somebody uses (CVE-2022-31107).
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
  // Locked, so that of two people who come at once for one account one is linked.
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

/** Makes an account for whom a provider named, linked with that person, and returns its identifier. */
export async function createPerson(tx: Database, claims: Claims, now: Date): Promise<string> {
  const id = newId();
  const name = claims.name?.trim().slice(0, 200) || null;
  for (const username of usernamesFor(claims)) {
    // An address that was not verified, or is another account's, is not taken over: nobody else could prove it later.
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

/** User names to try, the one that the person is known by elsewhere first. */
function* usernamesFor({ username, email, name }: Claims): Generator<string> {
  const wanted = slugify(username ?? email?.split('@')[0] ?? name ?? '', { separator: '-' }).slice(0, 30);
  const base = /^[a-z0-9][a-z0-9-]+$/.test(wanted) ? wanted : 'user';
  if (base !== 'user') yield base;
  for (let attempt = 0; attempt < 20; attempt++) yield `${base}-${randomBytes(3).toString('hex')}`;
}
