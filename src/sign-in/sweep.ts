import sql from 'sql-template-tag';
import { isOpen } from '#auth/session-validity.js';
import type { Queryable } from '#database/queryable.js';

/** Deletes expired sessions, sign-ins, links and invitations. They are already invalid before that. */
export async function sweepSignIns(db: Queryable): Promise<void> {
  await db.query(sql`delete from session s where not (${isOpen})`);
  await db.query('delete from sign_in_attempt where expires_at <= now()');
  await db.query('delete from sign_in_link where expires_at <= now()');
  await db.query('delete from invitation where expires_at <= now()');
}
