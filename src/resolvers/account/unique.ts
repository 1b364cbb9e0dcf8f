import type { Sql } from 'sql-template-tag';
import { type KnownConstraint, violationOf } from '#common/constraints.js';
import type { Context } from '#schema/context.js';

/**
 * Refuses a value when `taken` returns a row, as the constraint would. It is checked first so that PostgreSQL does not
 * log an error for a caller's mistake. Of two calls at once, the constraint refuses the later one.
 * @throws conflict
 */
export async function requireFree(ctx: Context, constraint: KnownConstraint, taken: Sql): Promise<void> {
  const rows = await ctx.read(taken);
  if (rows.length > 0) throw violationOf(constraint);
}
