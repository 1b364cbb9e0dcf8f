import pg from 'pg';
import sql from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import type { AuditChanges } from '#entities/audit-event.js';
import { AccountType } from '#entities/enums.js';
import { isId, newId } from '#entities/id.js';
import { withEvents } from './event.js';

export interface NewAccount {
  username: string;
  email: string;
  name?: string | undefined;
}

/**
 * Creates an organization or a user and returns its identifier. Throws with an explanation when a value is invalid or
 * taken.
 */
export async function createAccount(
  db: Queryable,
  type: AccountType,
  { username, email, name }: NewAccount,
  at: Date,
): Promise<string> {
  const login = username.toLowerCase();
  if (!/^[a-z0-9][a-z0-9_-]{1,38}$/.test(login)) {
    throw new Error(
      'The username must have 2 to 39 letters, digits, dashes or underscores, and start with a letter or digit.',
    );
  }
  // Imported here, so that other commands start without it.
  const { isEmail } = await import('class-validator');
  if (!isEmail(email)) throw new Error('The e-mail address is not valid.');
  checkName(name);
  const id = newId();
  // Checked first, so that PostgreSQL does not log an error. When two run at once, the constraint still refuses the
  // later one.
  const { rows } = await db.query<{ named: boolean }>(sql`
    select username = ${login} as named from account where username = ${login} or lower(email) = lower(${email})
     order by named desc limit 1`);
  if (rows[0] !== undefined) throw rows[0].named ? usernameTaken(login) : emailTaken(email);
  try {
    const inserted = sql`
      insert into account (id, type, username, email, name, created_at, updated_at)
      values (${id}, ${type}, ${login}, ${email}, ${name ?? null}, ${at}, ${at})`;
    await db.query(
      withEvents(inserted, {
        organizationId: type === AccountType.organization ? id : null,
        action: `${type} create`,
        target: { kind: type, id, name: name ?? login },
        changes: { username: [null, login], email: [null, email], ...(name !== undefined && { name: [null, name] }) },
      }),
    );
  } catch (error) {
    throw taken(error, login, email) ?? error;
  }
  return id;
}

/** Throws when a name is given that the API would refuse. */
export function checkName(name: string | undefined): void {
  if (name !== undefined && (name.trim() === '' || name.length > 200)) {
    throw new Error('The name must have 1 to 200 characters, not only blanks.');
  }
}

/**
 * Switches an account off or on. While it is off, its tokens are invalid, and nothing calls or notifies for an
 * organization.
 */
export async function setDisabled(db: Queryable, type: AccountType, id: string, disabled: boolean, at: Date) {
  const { rows } = isId(id)
    ? await db.query<{ name: string; before: boolean; organizations: string[] }>(sql`
        select coalesce(name, username) as name, disabled as before,
               array(select organization_id::text from membership where user_id = a.id order by 1) as organizations
          from account a where id = ${id} and type = ${type}`)
    : { rows: [] };
  const [found] = rows;
  if (found === undefined) throw new Error(`There is no ${type} ${id}.`);
  // A user may belong to several organizations; each of them gets the event.
  const organizations = type === AccountType.organization ? [id] : found.organizations;
  const changes: AuditChanges = found.before === disabled ? {} : { disabled: [found.before, disabled] };
  const event = {
    action: `${type} ${disabled ? 'disable' : 'enable'}`,
    target: { kind: type, id, name: found.name },
    changes,
  };
  const updated = sql`
    update account set disabled = ${disabled}, updated_at = greatest(${at}, updated_at + interval '1 ms') where id = ${id} and type = ${type}`;
  if (!disabled && found.before && type === AccountType.organization) await restartClocks(db, id, at);
  const events = (organizations.length > 0 ? organizations : [null]).map((of) => ({ ...event, organizationId: of }));
  await db.query(withEvents(updated, ...events));
}

/**
 * Starts the clocks of an organization's alert rules again, as its devices could not send. The times by which devices
 * are silent or have not reported their desired state, and by which episodes close by themselves, begin now.
 */
const restartClocks = (db: Queryable, organizationId: string, at: Date) =>
  db.query(sql`
    with waiting as (
      select s.device_id, s.rule_id, r.kind,
             case when s.episode_id is null then coalesce(r.silent_for_seconds, r.unsettled_for_seconds) else r.close_after_seconds end seconds
        from alert_rule r join alert_state s on s.rule_id = r.id
       where r.organization_id = ${organizationId} and not r.disabled
       order by s.device_id, s.rule_id for update of s)
    update alert_state s
       set started_at = ${at}, since = case when s.since is not null and w.kind = 'unsettled' then ${at} else s.since end,
           due_at = ${at}::timestamptz + make_interval(secs => w.seconds)
      from waiting w
     where s.device_id = w.device_id and s.rule_id = w.rule_id and w.seconds is not null`);

function taken(error: unknown, username: string, email: string): Error | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== '23505') return undefined;
  return error.constraint === 'account_email_key' ? emailTaken(email) : usernameTaken(username);
}

const emailTaken = (email: string) => new Error(`The e-mail address ${email} is taken.`);
const usernameTaken = (username: string) => new Error(`The username ${username} is taken.`);
