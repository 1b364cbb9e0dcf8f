import type { EntityManager } from '@mikro-orm/postgresql';
import sql, { type Sql } from 'sql-template-tag';
import type { AuditChanges, AuditTarget } from '#entities/audit-event.js';
import type { Context } from '#schema/context.js';

/** Runs one statement and returns its rows: in the unit of work's transaction, or by itself when there is none. */
export const execute = <Row extends object = object>(em: EntityManager, query: Sql): Promise<Row[]> =>
  em.execute<Row[]>(query.sql, [...query.values]);

/**
 * Runs a statement that changes rows, together with the event of the operation. Returns whether any row changed. If
 * none did, the event lists no changes.
 */
export async function change(
  { em, audit }: Pick<Context, 'em' | 'audit'>,
  statement: Sql,
  target: AuditTarget,
  changes: AuditChanges,
): Promise<boolean> {
  const event = audit.event(target, changes, sql`exists (select from changed)`);
  const [row] = await execute<{ count: number }>(
    em,
    sql`with changed as (${statement} returning 1 as one), noted as (${event}) select count(*)::int as count from changed`,
  );
  return (row?.count ?? 0) > 0;
}
