import DataLoader from 'dataloader';
import type { Sql } from 'sql-template-tag';
import type { Context } from '../schema/context.js';

/** The call's loader of that key, made where there is none yet. */
export function loaderOf<Value>(
  { loaders }: Context,
  key: unknown,
  make: () => DataLoader<string, Value>,
): DataLoader<string, Value> {
  const existing = loaders.get(key) as DataLoader<string, Value> | undefined;
  const loader = existing ?? make();
  if (existing === undefined) loaders.set(key, loader);
  return loader;
}

/** Loads things of one kind by their identifiers, one statement for all that are asked for in the same tick. */
export function loadById<Row extends { id: string }>(
  ctx: Context,
  kind: string,
  id: string,
  rowsOf: (ids: readonly string[]) => Sql,
): Promise<Row | null> {
  const make = () =>
    new DataLoader<string, Row | null>(async (ids) => {
      const rows = new Map((await ctx.read<Row>(rowsOf(ids))).map((row) => [row.id, row]));
      return ids.map((each) => rows.get(each) ?? null);
    });
  return loaderOf(ctx, kind, make).load(id);
}
