import sql, { join, type Sql } from 'sql-template-tag';
import { isId } from '#entities/id.js';
import { serialKey } from '#entities/serial.js';
import { keysOfPath } from '#json/key-path.js';
import type { Field, ValueType } from '#search/field/field.js';
import type { Bound, Predicate, TextPattern, Value } from '#search/query/predicate.js';
import { nodeOf, partOf } from './json-value.js';
import { patternCondition } from './like-pattern.js';
import { distance } from './sql-distance.js';
import { type StoredField, storedField } from './stored-field.js';

type Compile = { [K in Predicate['kind']]: (predicate: Extract<Predicate, { kind: K }>) => Sql };

/** Parameter for a value, of the type in which its field is compared. */
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
 * SQL condition of a predicate on one field: true or false but never null, as negation requires. `values` are tested
 * one by one.
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
    if (field.serialKey !== undefined)
      return sql`(${field.serialKey} = any(${values.map((value) => serialKey(`${value}`))}::text[]))`;
    return leaf(field, (value) =>
      values.length === 1
        ? sql`${value} = ${parameter[field.valueType](values[0]!)}`
        : sql`${value} = any(${array[field.valueType](values)})`,
    );
  },
  range: ({ field: of, lower: from, upper: to }) => {
    const field = storedField(of);
    const [lower, upper] = field.serialKey === undefined ? [from, to] : [boundOfSerials(from), boundOfSerials(to)];
    return holds(field.serialKey === undefined ? field : { ...field, value: field.serialKey }, (value) => {
      const compared = field.valueType === 'text' ? sql`${value} collate "C"` : value;
      const parts: Sql[] = [];
      if (lower !== undefined)
        parts.push(sql`${compared} ${lower.inclusive ? sql`>=` : sql`>`} ${parameter[field.valueType](lower.value)}`);
      if (upper !== undefined)
        parts.push(sql`${compared} ${upper.inclusive ? sql`<=` : sql`<`} ${parameter[field.valueType](upper.value)}`);
      if (parts.length === 0) parts.push(sql`${compared} is not null`);
      return parts.length === 1 ? parts[0]! : sql`(${join(parts, ' and ')})`;
    });
  },
  exists: ({ field: of }) => {
    if (of.always) return sql`true`;
    const field = storedField(of);
    if (field.values !== undefined) return sql`(coalesce(cardinality(${field.values}), 0) > 0)`;
    return sql`(${field.value} is not null)`;
  },
  existsUnder: ({ root, keys }) => {
    const json = partOf(root);
    if (keys.length === 0) return hasLeaf(json);
    const found = keysOfPath(keys.join('.')).flatMap((list) => {
      const above = sql`(${json} #> ${list.slice(0, -1)}::text[])`;
      return [
        hasLeaf(nodeOf(json, list)),
        sql`exists (select from jsonb_each(case jsonb_typeof(${above}) when 'object' then ${above} else '{}' end) e
          where starts_with(e.key, ${`${list.at(-1)!}.`}::text) and ${hasLeaf(sql`e.value`)})`,
      ];
    });
    return sql`(${join(found, ' or ')})`;
  },
  pattern: ({ field: of, pattern, caseInsensitive }) => {
    const field = storedField(of);
    return field.serialKey === undefined
      ? leaf(field, (value) => patternCondition(value, pattern, caseInsensitive))
      : serialPattern(field.value, field.serialKey, pattern);
  },
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

/** Whether JSON contains a value other than null, at any depth. */
const hasLeaf = (node: Sql): Sql =>
  sql`coalesce(jsonb_path_exists(${node}, 'strict $.** ? (@.type() != "object" && @.type() != "array" && @ != null)'), false)`;

const boundOfSerials = (bound: Bound | undefined): Bound | undefined =>
  bound && { ...bound, value: serialKey(`${bound.value}`) };

/**
 * Patterns are matched against the key, so that dashes do not matter. A regular expression may also match the serial
 * with its dashes.
 */
const serialPattern = (serial: Sql, key: Sql, pattern: TextPattern): Sql => {
  switch (pattern.kind) {
    case 'equal':
    case 'prefix':
      return patternCondition(key, { ...pattern, text: serialKey(pattern.text) }, true);
    case 'wildcard': {
      const parts = pattern.parts.map((part) => (typeof part === 'string' ? part : { text: serialKey(part.text) }));
      return patternCondition(key, { ...pattern, parts }, true);
    }
    case 'regexp':
      return sql`(${patternCondition(serial, pattern, true)} or ${patternCondition(key, pattern, true)})`;
  }
};

/** SQL condition of a predicate, over the aliases `r` (record) and `d` (device). */
export const condition = (predicate: Predicate): Sql =>
  (compile[predicate.kind] as (predicate: Predicate) => Sql)(predicate);
