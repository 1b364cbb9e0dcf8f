import sql, { empty, join, type Sql } from 'sql-template-tag';
import { VariableType } from '#entities/enums.js';
import { kindOfVariable } from '#search/field/catalogue.js';
import type { DeclaredVariable, Field, FieldKind, FieldOrigin, ValueType } from '#search/field/field.js';
import { type JsonValues, rowJson } from './json-value.js';

/** A field with the SQL expressions that read its values, over the aliases `r` (record) and `d` (device). */
export interface StoredField extends Field {
  /** Value of a record, null for a missing one; latitude for a point. */
  readonly value: Sql;
  /** Longitude of a point. */
  readonly longitude?: Sql;
  /**
   * Array of all values, null or empty if there are none. Only fields of which a record may have several values have
   * it. Then `value` must not be read.
   */
  readonly values?: Sql;
  /** Column of UUID values; comparing it lets PostgreSQL use indexes. */
  readonly uuid?: Sql;
  /** Column of the keys of serials; comparing it ignores case and dashes. */
  readonly serialKey?: Sql;
  /** Whether reading a value parses JSON, which should happen only once per record. */
  readonly costly?: boolean;
}

/**
 * Selects devices, as `d`, with what the fields read. `device.site.id` reads the present site of a device and all sites
 * above it, `device.attributes.*` the attributes that hold now.
 */
export const devicesWith = (fields: readonly Field[]): Sql => {
  const hasSite = fields.some(({ path }) => path === 'device.site.id');
  const names = new Set(fields.flatMap(({ origin }) => (origin.kind === 'attribute' ? [origin.name] : [])));
  if (!hasSite && names.size === 0) return sql`device d`;
  const site = sql`left join device_site ds on ds.device_id = d.id and ds.ended_at is null left join site s on s.id = ds.site_id`;
  const attributes = sql`left join lateral (
      select jsonb_object_agg(a.name, a.value) as attributes from unnest(${[...names]}::text[]) w (name) cross join lateral (
        select n.name, n.value from attribute n where n.owner_id = d.id and n.name = w.name and n.valid_from <= now()
         order by n.valid_from desc limit 1) a) da on true`;
  return sql`(select d.*${hasSite ? sql`, s.path::text[] as site_path` : empty}${names.size > 0 ? sql`, da.attributes` : empty}
    from device d ${hasSite ? site : empty} ${names.size > 0 ? attributes : empty}) d`;
};

/** Slot of a product's variable: its index in `record.numbers`, or minus its index in `record.texts`. */
export interface NumberSlot {
  readonly productId: string;
  readonly slot: number;
}

type SqlOf = Omit<StoredField, keyof Field>;

/** Adds the SQL expressions to a field. A field that already has them, such as a distance, stays unchanged. */
export const storedField = (field: Field | StoredField): StoredField =>
  'value' in field ? field : { ...field, ...sqlOf(field, rowJson) };

/** Returns the SQL expressions of a field, which reads JSON in the given way. */
export const sqlOf = (field: Field, json: JsonValues): SqlOf => {
  const { origin, valueType, kind } = field;
  switch (origin.kind) {
    case 'reserved':
      return reserved[field.path]!;
    case 'attribute':
      return { value: attributeValue(origin.name, kind) };
    case 'none':
      return { value: sql`null::${columnType[valueType]}` };
    case 'undeclared':
      return undeclared(origin, kind, field.multi, json);
    case 'declared': {
      const { name } = origin.variables[0]!;
      const value = byProduct(origin, json, valueType === 'long', () => otherProducts(origin, kind, valueType, json));
      return { value, ...(field.multi && { values: several(name, value, valueType, kind) }) };
    }
  }
};

/** Value of an attribute of the device, if it has the kind of the field. */
const attributeValue = (name: string, kind: FieldKind): Sql => {
  const value = sql`(d.attributes -> ${name}::text)`;
  if (kind === 'keyword') return sql`(${value} #>> '{}')`;
  return kind === 'boolean'
    ? sql`(case when jsonb_typeof(${value}) = 'boolean' then ${value}::boolean::int::float8 end)`
    : sql`(case when jsonb_typeof(${value}) = 'number' then ${value}::float8 end)`;
};

/** Type of the column or expression that reads the values of a field; for a point, of each coordinate. */
const columnType: Readonly<Record<ValueType, Sql>> = {
  double: sql`float8`,
  long: sql`int8`,
  text: sql`text`,
  timestamp: sql`timestamptz`,
  point: sql`float8`,
};

/** Type of the bucket keys of a field; times become milliseconds. */
export const keyType = ({ valueType }: Field): Sql => (valueType === 'timestamp' ? sql`int8` : columnType[valueType]);

const identifier = (column: Sql): SqlOf => ({ value: sql`${column}::text`, uuid: column });

const reserved: Readonly<Record<string, SqlOf>> = {
  ts: { value: sql`r.ts` },
  _doc: { value: sql`r.seq` },
  _id: identifier(sql`r.id`),
  'product.id': identifier(sql`r.product_id`),
  'device.product.id': identifier(sql`r.product_id`),
  'device.id': identifier(sql`r.device_id`),
  'device.organizationId': identifier(sql`r.organization_id`),
  'device.serial': { value: sql`d.serial`, serialKey: sql`d.serial_key` },
  'device.name': { value: sql`d.name` },
  'device.tags': { value: sql`d.tags[1]`, values: sql`d.tags` },
  'device.site.id': { value: sql`d.site_path[1]`, values: sql`d.site_path` },
  'device.location': { value: sql`d.lat`, longitude: sql`d.lon` },
};

/**
 * Returns the slot of the field's numbers in each product that keeps it in rollups; undefined if rollups lack some of
 * its values in products that declare it.
 */
export const numberSlots = ({ origin, multi, kind }: Field): readonly NumberSlot[] | undefined =>
  origin.kind !== 'declared' || multi || kind === 'keyword'
    ? undefined
    : origin.variables.flatMap(({ productId, slot }) => (slot === null ? [] : [{ productId, slot }]));

/** Returns the same for countable values: slots of texts are negative. */
export const valueSlots = (field: Field): readonly NumberSlot[] | undefined => {
  const { origin, multi, kind } = field;
  if (kind !== 'keyword') return numberSlots(field);
  return origin.kind !== 'declared' || multi
    ? undefined
    : origin.variables.flatMap(({ productId, slot }) => (slot === null ? [] : [{ productId, slot: -slot }]));
};

/** Returns the products that declare a field. */
export const declaringProducts = ({ origin }: Field): readonly string[] =>
  origin.kind === 'declared' ? origin.variables.map(({ productId }) => productId) : [];

/**
 * Reads the slot by the record's product; `otherwise` applies to records whose product does not declare the variable.
 */
const byProduct = (
  { variables, complete }: Extract<FieldOrigin, { kind: 'declared' }>,
  json: JsonValues,
  exact: boolean,
  otherwise: () => Sql,
): Sql => {
  // Most products use the same slot for a variable. One comparison with all products of a slot is much cheaper than one
  // for each product.
  const groups = [...Map.groupBy(variables, ({ type, slot }) => `${type} ${slot}`).values()];
  if (complete && groups.length === 1) return slotOf(variables[0]!, json, exact);
  const cases = groups.map(
    (same) =>
      sql`when r.product_id = any(${same.map(({ productId }) => productId)}::uuid[]) then ${slotOf(same[0]!, json, exact)}`,
  );
  return sql`(case ${join(cases, ' ')}${complete ? empty : sql` else ${otherwise()}`} end)`;
};

const slotOf = ({ name, type, slot }: DeclaredVariable, json: JsonValues, exact: boolean): Sql => {
  const text = kindOfVariable[type] === 'keyword';
  if (slot === null) return text ? sql`null::text` : exact ? sql`null::int8` : sql`null::float8`;
  if (text) return sql`r.texts[${slot}::int]`;
  if (!exact) return sql`r.numbers[${slot}::int]`;
  if (type !== VariableType.INT64) return sql`r.numbers[${slot}::int]::int8`;
  const number = sql`r.numbers[${slot}::int]`;
  return sql`(case when ${number} is null then null when abs(${number}) < 9007199254740992 then ${number}::int8 else ${json.digits(name, slot)}::numeric::int8 end)`;
};

/** Value of a record whose product does not declare the variable, if it has the declared kind. */
const otherProducts = (
  { variables }: Extract<FieldOrigin, { kind: 'declared' }>,
  kind: FieldKind,
  valueType: ValueType,
  json: JsonValues,
): Sql => {
  if (kind === 'keyword' || kind === 'boolean') return json.ofOthers(variables, kind);
  const value = json.ofOthers(variables, 'double');
  if (kind === 'double') return value;
  const whole = sql`(select n from (select ${value} as n) x where n = trunc(n) and abs(n) <= 9007199254740991)`;
  return valueType === 'long' ? sql`${whole}::int8` : whole;
};

/**
 * Values received as an array, otherwise the value of the slot. Values that cannot be read in the declared type are
 * left out: the array may be older than a change of the variable's type.
 */
const several = (name: string, value: Sql, valueType: ValueType, kind: FieldKind): Sql => {
  const [item, isReadable] =
    kind === 'boolean'
      ? readings.boolean
      : valueType === 'text'
        ? readings.text
        : readings[valueType === 'long' ? 'long' : 'double'];
  return sql`(case when r.many -> ${name}::text is not null then (select array_agg(${item}) from (select j #>> '{}' as e, jsonb_typeof(j) as kind from jsonb_array_elements(r.many -> ${name}::text) j) x where ${isReadable}) else array_remove(array[${value}], null) end)`;
};

/** SQL that reads an array element, and the condition that it can be read. `e` is its text, `kind` its JSON type. */
const readings = {
  boolean: [sql`(e = 'true')::int::float8`, sql`e in ('true', 'false')`],
  double: [sql`e::float8`, sql`kind = 'number' or e ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$'`],
  long: [
    sql`e::int8`,
    sql`(case when e ~ '^-?[0-9]{1,19}$' then e::numeric between -9223372036854775808 and 9223372036854775807 else false end)`,
  ],
  text: [sql`e`, sql`true`],
} as const;

/** Value in the record's JSON that no product declares, read only if it has the kind found there. */
const undeclared = (
  { root, keys }: Extract<FieldOrigin, { kind: 'undeclared' }>,
  kind: FieldKind,
  multi: boolean,
  json: JsonValues,
): SqlOf => {
  const costly = json.isCostly;
  if (!multi) return { value: json.atKeys(root, keys, kind), costly };
  return { value: rowJson.atKeys(root, keys, kind), values: json.allAtKeys(root, keys, kind), costly };
};
