import { randomBytes } from 'node:crypto';
import slugify from '@sindresorhus/slugify';
import sql from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import { newId } from '#entities/id.js';
import type { Claims } from './claims.js';

/**
 * The account of a sign-in: its identifier, and its names before and after if the provider changed the person's name;
 * undefined if the person has no account yet.
 */
export type Standing =
  | { userId: string; disabled: boolean; renamed: readonly [before: string | null, after: string] | undefined }
  | undefined;

/**
 * Finds the account of a person by issuer and subject. A new person is linked with the account that has their verified
 * e-mail address if the operator trusts the issuer for the address's domain, and if nobody has signed in to that
 * account before. An address alone never opens an account that somebody uses (CVE-2022-31107).
 */
export async function findAccount(tx: Queryable, claims: Claims, now: Date): Promise<Standing> {
  const { issuer, subject, email } = claims;
  // The lock runs the sign-ins of a person one after the other, so that the second finds the account of the first.
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`sign-in ${issuer} ${subject}`}, 0))`);
  const known = await findIdentity(tx, claims, now);
  if (known !== undefined) return known;
  if (email === undefined) return undefined;
  // The lock lets only one of two people link the account when both arrive at once.
  const { rows: accounts } = await tx.query<{ id: string }>(sql`
    select u.id from account u where lower(u.email) = lower(${email}) and u.type = 'user' and not u.disabled for update`);
  const id = accounts[0]?.id;
  if (id === undefined) return undefined;
  const { rows: linked } = await tx.query(sql`select from identity where user_id = ${id} limit 1`);
  if (linked.length > 0) return undefined;
  await link(tx, claims, id, now);
  return { userId: id, disabled: false, renamed: undefined };
}

/** Returns the name of a person as an account has it; null without one. */
const accountName = ({ name }: Claims): string | null => name?.trim().slice(0, 200) || null;

/**
 * Finds the account that a person signed in to before. The person may be stored under the issuer as the settings write
 * it, or with another slash at its end. A name that changed at the provider changes here, too.
 */
async function findIdentity(tx: Queryable, claims: Claims, now: Date): Promise<Standing> {
  const { issuer, writtenIssuer = issuer, subject } = claims;
  const bare = issuer.replace(/\/$/, '');
  const spellings = [issuer, bare, `${bare}/`, writtenIssuer];
  const name = accountName(claims);
  const { rows } = await tx.query<{ userId: string; disabled: boolean; before: string | null; follows: boolean }>(sql`
    with known as (
      select i.issuer, i.name, i.created_at from identity i
       where i.issuer = any(${spellings}) and i.subject = ${subject}
       order by i.issuer = ${issuer} desc limit 1 for update)
    update identity i
       set issuer = ${issuer}, last_used_at = ${now}, name = coalesce(${name}, i.name)
      from known k, account u
     where i.issuer = k.issuer and i.subject = ${subject} and u.id = i.user_id
    returning i.user_id as "userId", u.disabled, u.name as before,
              case when k.name is not null then k.name <> ${name}
                   else u.name is null or (u.created_at = k.created_at and u.name <> ${name}) end as follows`);
  const [found] = rows;
  if (found === undefined) return undefined;
  const { userId, disabled, before, follows } = found;
  if (disabled || name === null || !follows || name === before) return { userId, disabled, renamed: undefined };
  await tx.query(sql`update account set name = ${name}, updated_at = ${now} where id = ${userId}`);
  return { userId, disabled, renamed: [before, name] };
}

const link = (tx: Queryable, claims: Claims, userId: string, now: Date) =>
  tx.query(sql`
    insert into identity (issuer, subject, user_id, created_at, last_used_at, name)
    values (${claims.issuer}, ${claims.subject}, ${userId}, ${now}, ${now}, ${accountName(claims)})`);

/** Creates an account for a person of a provider, links it with the person, and returns its identifier. */
export async function createPerson(tx: Queryable, claims: Claims, now: Date): Promise<string> {
  const id = newId();
  const name = accountName(claims);
  for (const username of usernamesFor(claims)) {
    // An address that belongs to another account is not stored.
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
