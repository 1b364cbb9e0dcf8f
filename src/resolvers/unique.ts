import type { Sql } from 'sql-template-tag';
import { type KnownConstraint, violationOf } from '../schema/constraints.js';
import type { Context } from '../schema/context.js';

/**
 * Refuses what the constraint would, where `taken` gives a row. It is asked first so that PostgreSQL's log has no error for
 * what a caller got wrong; of two calls at once the later one still ends at the constraint.
 * @throws ApiError CONFLICT
 */
export async function requireFree(ctx: Context, constraint: KnownConstraint, taken: Sql): Promise<void> {
  const rows = await ctx.read(taken);
  if (rows.length > 0) throw violationOf(constraint);
}
