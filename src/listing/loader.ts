import DataLoader from 'dataloader';
import type { Sql } from 'sql-template-tag';
import type { Context } from '#schema/context.js';

/** Returns the call's loader with this key, and creates it at the first use. */
export function loaderOf<Value, Key = string>(
  { loaders }: Context,
  key: unknown,
  make: () => DataLoader<Key, Value>,
): DataLoader<Key, Value> {
  const existing = loaders.get(key) as DataLoader<Key, Value> | undefined;
  const loader = existing ?? make();
  if (existing === undefined) loaders.set(key, loader);
  return loader;
}

/** Loads objects of one kind by their identifiers, with one statement for all requested in the same tick. */
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
