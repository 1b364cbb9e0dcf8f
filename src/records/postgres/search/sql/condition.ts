import sql, { join, type Sql } from 'sql-template-tag';
import { isId } from '../../../../entities/id.js';
import type { Field, ValueType } from '../../../../search/field/field.js';
import { keysOfPath } from '../../../../search/field/key-path.js';
import type { Predicate, Value } from '../../../../search/query/predicate.js';
import { distance } from './geo.js';
import { patternCondition } from './pattern.js';
import { type StoredField, storedField } from './stored-field.js';

type Compile = { [K in Predicate['kind']]: (predicate: Extract<Predicate, { kind: K }>) => Sql };

/** A value as a parameter of the type that its field is compared in. */
export const parameter: Readonly<Record<ValueType, (value: Value) => Sql>> = {
  double: (value) => sql`${value}::float8`,
  long: (value) => sql`${`${value}`}::int8`,
  text: (value) => sql`${value}::text`,
  timestamp: (value) => sql`${value}::timestamptz`,
  point: (value) => sql`${value}::float8`,
};

const array: Readonly<Record<ValueType, (values: readonly Value[]) => Sql>> = {
  double: (values) => sql`${values}::float8[]`,
  long: (values) => sql`${values.map((value) => `${value}`)}::int8[]`,
  text: (values) => sql`${values}::text[]`,
  timestamp: (values) => sql`${values}::timestamptz[]`,
  point: (values) => sql`${values}::float8[]`,
};

/**
 * A predicate as a condition that is true or false, never null: what negation needs. `values` are tested one by one.
 */
const leaf = (of: Field, test: (value: Sql) => Sql): Sql => holds(storedField(of), test);

const holds = (field: StoredField, test: (value: Sql) => Sql): Sql => {
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
  in: ({ field: of, values }) => {
    const field = storedField(of);
    if (field.uuid !== undefined) {
      const ids = values.filter((value) => isId(`${value}`));
      return holds({ ...field, value: field.uuid }, (column) => sql`${column} = any(${ids}::uuid[])`);
    }
    return leaf(field, (value) =>
      values.length === 1
        ? sql`${value} = ${parameter[field.valueType](values[0]!)}`
        : sql`${value} = any(${array[field.valueType](values)})`,
    );
  },
  range: ({ field, lower, upper }) =>
    leaf(field, (value) => {
      const compared = field.valueType === 'text' ? sql`${value} collate "C"` : value;
      const parts: Sql[] = [];
      if (lower !== undefined)
        parts.push(sql`${compared} ${lower.inclusive ? sql`>=` : sql`>`} ${parameter[field.valueType](lower.value)}`);
      if (upper !== undefined)
        parts.push(sql`${compared} ${upper.inclusive ? sql`<=` : sql`<`} ${parameter[field.valueType](upper.value)}`);
      if (parts.length === 0) parts.push(sql`${compared} is not null`);
      return parts.length === 1 ? parts[0]! : sql`(${join(parts, ' and ')})`;
    }),
  exists: ({ field: of }) => {
    if (of.always) return sql`true`;
    const field = storedField(of);
    if (field.values !== undefined) return sql`(coalesce(cardinality(${field.values}), 0) > 0)`;
    return sql`(${field.value} is not null)`;
  },
  existsUnder: ({ root, keys }) => {
    const json = root === 'data' ? sql`r.data` : sql`r.metadata`;
    if (keys.length === 0) return hasLeaf(json);
    const found = keysOfPath(keys.join('.')).flatMap((list) => {
      const above = sql`(${json} #> ${list.slice(0, -1)}::text[])`;
      return [
        hasLeaf(sql`${json} #> ${list}::text[]`),
        sql`exists (select from jsonb_each(case jsonb_typeof(${above}) when 'object' then ${above} else '{}' end) e
          where starts_with(e.key, ${`${list.at(-1)!}.`}::text) and ${hasLeaf(sql`e.value`)})`,
      ];
    });
    return sql`(${join(found, ' or ')})`;
  },
  pattern: ({ field, pattern, caseInsensitive }) =>
    leaf(field, (value) => patternCondition(value, pattern, caseInsensitive)),
  near: ({ field, center, metres }) =>
    leaf(field, () => sql`(${distance(storedField(field), center)} <= ${metres}::float8)`),
  box: ({ field, northWest, southEast }) =>
    leaf(field, (lat) => {
      const lon = storedField(field).longitude!;
      const [west, east] = [sql`${lon} >= ${northWest.lon}::float8`, sql`${lon} <= ${southEast.lon}::float8`];
      const between = northWest.lon <= southEast.lon ? sql`${west} and ${east}` : sql`(${west} or ${east})`;
      return sql`(${lat} <= ${northWest.lat}::float8 and ${lat} >= ${southEast.lat}::float8 and ${between})`;
    }),
};

/** Whether JSON has a value that is not null, at any depth. */
const hasLeaf = (node: Sql): Sql =>
  sql`coalesce(jsonb_path_exists(${node}, 'strict $.** ? (@.type() != "object" && @.type() != "array" && @ != null)'), false)`;

/** A predicate as a condition over alias `r` (record) and `d` (device). */
export const condition = (predicate: Predicate): Sql =>
  (compile[predicate.kind] as (predicate: Predicate) => Sql)(predicate);
