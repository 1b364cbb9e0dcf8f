import sql, { join, type Sql } from 'sql-template-tag';
import { isId } from '../../../entities/id.js';
import type { Field, FieldStorage } from '../field/field.js';
import type { Predicate, Value } from '../query/predicate.js';
import { distance } from './geo.js';
import { patternCondition } from './pattern.js';

type Compile = { [K in Predicate['kind']]: (predicate: Extract<Predicate, { kind: K }>) => Sql };

/** A value as a parameter of its storage's type. */
export const parameter: Readonly<Record<FieldStorage, (value: Value) => Sql>> = {
  float8: (value) => sql`${value}::float8`,
  int8: (value) => sql`${`${value}`}::int8`,
  text: (value) => sql`${value}::text`,
  timestamptz: (value) => sql`${value}::timestamptz`,
  point: (value) => sql`${value}::float8`,
};

const array: Readonly<Record<FieldStorage, (values: readonly Value[]) => Sql>> = {
  float8: (values) => sql`${values}::float8[]`,
  int8: (values) => sql`${values.map((value) => `${value}`)}::int8[]`,
  text: (values) => sql`${values}::text[]`,
  timestamptz: (values) => sql`${values}::timestamptz[]`,
  point: (values) => sql`${values}::float8[]`,
};

/**
 * A predicate as a condition that is true or false, never null: what negation needs. `values` are tested one by one.
 */
const leaf = (field: Field, test: (value: Sql) => Sql): Sql => {
  if (field.values !== undefined)
    return sql`exists (select from unnest(${field.values}) as u(v) where ${test(sql`u.v`)})`;
  return field.always ? test(field.value) : sql`coalesce(${test(field.value)}, false)`;
};

const compile: Compile = {
  all: () => sql`true`,
  none: () => sql`false`,
  and: ({ of }) => sql`(${join(of.map(condition), ' and ')})`,
  or: ({ of }) => sql`(${join(of.map(condition), ' or ')})`,
  not: ({ of }) => sql`(not ${condition(of)})`,
  atLeast: ({ count, of }) =>
    sql`((${join(
      of.map((part) => sql`(${condition(part)})::int`),
      ' + ',
    )}) >= ${count}::int)`,
  in: ({ field, values }) => {
    if (field.uuid !== undefined) {
      const ids = values.filter((value) => isId(`${value}`));
      return leaf({ ...field, value: field.uuid }, (column) => sql`${column} = any(${ids}::uuid[])`);
    }
    return leaf(field, (value) =>
      values.length === 1
        ? sql`${value} = ${parameter[field.storage](values[0]!)}`
        : sql`${value} = any(${array[field.storage](values)})`,
    );
  },
  range: ({ field, lower, upper }) =>
    leaf(field, (value) => {
      const compared = field.storage === 'text' ? sql`${value} collate "C"` : value;
      const parts: Sql[] = [];
      if (lower !== undefined)
        parts.push(sql`${compared} ${lower.inclusive ? sql`>=` : sql`>`} ${parameter[field.storage](lower.value)}`);
      if (upper !== undefined)
        parts.push(sql`${compared} ${upper.inclusive ? sql`<=` : sql`<`} ${parameter[field.storage](upper.value)}`);
      if (parts.length === 0) parts.push(sql`${compared} is not null`);
      return parts.length === 1 ? parts[0]! : sql`(${join(parts, ' and ')})`;
    }),
  exists: ({ field }) => {
    if (field.always) return sql`true`;
    if (field.values !== undefined) return sql`(coalesce(cardinality(${field.values}), 0) > 0)`;
    return sql`(${field.value} is not null)`;
  },
  existsUnder: ({ root, keys }) => {
    const node = sql`(${root === 'data' ? sql`r.data` : sql`r.metadata`} #> ${keys}::text[])`;
    return sql`coalesce(jsonb_path_exists(${node}, 'strict $.** ? (@.type() != "object" && @.type() != "array" && @ != null)'), false)`;
  },
  pattern: ({ field, pattern, caseInsensitive }) =>
    leaf(field, (value) => patternCondition(value, pattern, caseInsensitive)),
  near: ({ field, center, metres }) => leaf(field, () => sql`(${distance(field, center)} <= ${metres}::float8)`),
  box: ({ field, northWest, southEast }) =>
    leaf(field, (lat) => {
      const lon = field.longitude!;
      const [west, east] = [sql`${lon} >= ${northWest.lon}::float8`, sql`${lon} <= ${southEast.lon}::float8`];
      const between = northWest.lon <= southEast.lon ? sql`${west} and ${east}` : sql`(${west} or ${east})`;
      return sql`(${lat} <= ${northWest.lat}::float8 and ${lat} >= ${southEast.lat}::float8 and ${between})`;
    }),
};

/** A predicate as a condition over alias `r` (record) and `d` (device). */
export const condition = (predicate: Predicate): Sql =>
  (compile[predicate.kind] as (predicate: Predicate) => Sql)(predicate);
