import sql, { join, type Sql } from 'sql-template-tag';
import { keysOfPath } from '#json/key-path.js';
import type { DeclaredVariable, FieldKind } from '#search/field/field.js';

/** Reads values in the JSON of records. */
export interface JsonValues {
  /** Returns the first value of a kind under lists of keys; null without one. */
  atKeys(root: JsonRoot, keys: readonly (readonly string[])[], kind: FieldKind): Sql;
  /** Returns an array of all values of a kind under lists of keys, which may be in lists; null or empty without one. */
  allAtKeys(root: JsonRoot, keys: readonly (readonly string[])[], kind: FieldKind): Sql;
  /** Returns the value of a kind that a record has under the name of a variable, which only other products declare. */
  ofOthers(variables: readonly DeclaredVariable[], kind: FieldKind): Sql;
  /** Returns the digits of a variable's whole number, which is too large for the double in its slot. */
  digits(name: string, slot: number): Sql;
  /** Whether reading a value parses JSON. */
  readonly isCostly: boolean;
}

/** Part of a record whose values are searchable. */
export type JsonRoot = 'data' | 'metadata';

/** Returns the JSON of a part of the record `r`. */
export const partOf = (root: JsonRoot): Sql => (root === 'data' ? sql`r.data` : sql`r.metadata`);

/** Reads values in the JSON of rows. */
export const rowJson: JsonValues = {
  atKeys: (root, keys, kind) => firstOf(nodes(partOf(root), keys).map((node) => scalar(kind, node))),
  allAtKeys: (root, keys, kind) => firstOf(keys.map((list) => items(kind, nodeOf(partOf(root), list)))),
  ofOthers: ([variable], kind) => {
    const { name } = variable!;
    return name.includes('.')
      ? rowJson.atKeys('data', keysOfPath(name), kind)
      : scalar(kind, sql`(r.data -> ${name}::text)`);
  },
  digits: (name) => exactText(name),
  isCostly: true,
};

/** Digits of a whole number too large for a double: the value itself, or the only such value in an array. */
const exactText = (name: string): Sql =>
  sql`(jsonb_path_query_first(${valueOfName(name)}, 'strict $.** ? (@.type() == "number" || (@.type() == "string" && @ like_regex "^[+-]?[0-9]+$"))') #>> '{}')`;

/**
 * JSON of a variable's value as received: that of the key with its name, otherwise that of nested keys (see
 * `key-path.ts`).
 */
const valueOfName = (name: string): Sql => {
  const own = sql`r.data -> ${name}::text`;
  if (!name.includes('.')) return own;
  const nested = keysOfPath(name).map((keys) => sql`nullif(r.data #> ${keys}::text[], 'null')`);
  return sql`coalesce(nullif(${own}, 'null'), ${join(nested, ', ')})`;
};

const nodes = (root: Sql, keys: readonly (readonly string[])[]): readonly Sql[] =>
  keys.map((list) => sql`(${root} #> ${list}::text[])`);

/** Returns the JSON under keys. Arrays on the way to it make an array of what their objects have there. */
export const nodeOf = (root: Sql, keys: readonly string[]): Sql => {
  if (keys.length === 1) return sql`(${root} #> ${keys}::text[])`;
  const path = keys.map((key) => `.${JSON.stringify(key)}`).join('');
  return sql`jsonb_path_query_array(${root}, ${`lax $${path}[*]`}::jsonpath)`;
};

const firstOf = (values: readonly Sql[]): Sql =>
  values.length === 1 ? values[0]! : sql`coalesce(${join(values, ', ')})`;

/** All values of a kind in JSON, which may be an array; null without any. */
const items = (kind: FieldKind, node: Sql): Sql => {
  const each = sql`jsonb_array_elements(case jsonb_typeof(${node}) when 'array' then ${node} else jsonb_build_array(${node}) end)`;
  return sql`(select array_agg(v) from (select ${scalar(kind, sql`e`)} as v from ${each} e) x where v is not null)`;
};

const scalar = (kind: FieldKind, node: Sql): Sql => {
  const text = sql`(${node} #>> '{}')`;
  if (kind === 'boolean') return sql`(case ${text} when 'true' then 1::float8 when 'false' then 0::float8 end)`;
  if (kind === 'keyword')
    return sql`(case when jsonb_typeof(${node}) in ('string', 'number', 'boolean') then ${text} end)`;
  return sql`(case jsonb_typeof(${node}) when 'number' then (${node})::float8 when 'string' then case when ${text} ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ${text}::float8 end end)`;
};
