import sql, { empty, join, type Sql } from 'sql-template-tag';
import { VariableType } from '../../../entities/enums.js';
import type { Field, FieldKind, Place } from './field.js';

/** A variable that a product declares, and the slot of its values where any are stored (see `records/slot.ts`). */
export interface DeclaredVariable {
  productId: string;
  name: string;
  type: VariableType;
  slot: number | null;
}

/** A row of the catalogue of fields seen at ingestion. */
export interface SeenField {
  path: string;
  keys: string[];
  kind: 'number' | 'boolean' | 'text';
  multi: boolean;
}

/** What the engines call a variable's type. */
export const kindOfVariable: Readonly<Record<VariableType, FieldKind>> = {
  [VariableType.BOOL]: 'boolean',
  [VariableType.TXT]: 'keyword',
  [VariableType.FLOAT32]: 'double',
  [VariableType.INT16]: 'long',
  [VariableType.INT64]: 'long',
  [VariableType.UINT8]: 'long',
  [VariableType.UINT16]: 'long',
  [VariableType.UINT32]: 'long',
};

const kindOfSeen: Readonly<Record<SeenField['kind'], FieldKind>> = {
  number: 'double',
  boolean: 'boolean',
  text: 'keyword',
};

/** A field that no product in scope declares, read from the record's JSON and guarded by the kind found there. */
export const seenField = ({ path, keys, kind, multi }: SeenField): Field => {
  const [root, ...rest] = keys;
  const node = sql`(${root === 'data' ? sql`r.data` : sql`r.metadata`} #> ${rest}::text[])`;
  return {
    path,
    kind: kindOfSeen[kind],
    storage: kind === 'text' ? 'text' : 'float8',
    value: scalar(kind, node),
    ...(multi ? { values: several(kind, node) } : {}),
    costly: true,
    always: false,
    ofDevice: false,
  };
};

/** A variable as the products in scope declare it. All of them must have the same kind. */
export const declaredField = (
  path: string,
  declared: readonly DeclaredVariable[],
  multi: boolean,
  onlyThese: boolean,
): Field => {
  const [first] = declared;
  const kinds = new Set(declared.map(({ type }) => kindOfVariable[type]));
  const kind = kinds.size > 1 ? 'double' : kindOfVariable[first!.type];
  const exact = declared.some(({ type }) => type === VariableType.INT64) && kind === 'long';
  const storage = kind === 'keyword' ? 'text' : exact ? 'int8' : 'float8';
  const value = byProduct(
    declared,
    (variable) => slotOf(variable, exact),
    onlyThese,
    () => fallback(first!.name, kind, storage),
  );
  return {
    path,
    kind,
    storage,
    value,
    ...(multi ? { values: stored(first!.name, value, storage, kind) } : {}),
    ...(!multi && kind !== 'keyword' ? { places: declared.flatMap(placeOf) } : {}),
    declaredBy: declared.map(({ productId }) => productId),
    always: false,
    ofDevice: false,
  };
};

const placeOf = ({ productId, slot }: DeclaredVariable): Place[] => (slot === null ? [] : [{ productId, slot }]);

/** The slot's value by the record's product; `otherwise` for records of no product that declares the variable. */
const byProduct = (
  declared: readonly DeclaredVariable[],
  read: (variable: DeclaredVariable) => Sql,
  onlyThese: boolean,
  otherwise: () => Sql,
): Sql => {
  // Products mostly agree on the place: one comparison with all of them is much cheaper than one with each.
  const ways = [...Map.groupBy(declared, ({ type, slot }) => `${type} ${slot}`).values()];
  if (onlyThese && ways.length === 1) return read(declared[0]!);
  const cases = ways.map(
    (same) => sql`when r.product_id = any(${same.map(({ productId }) => productId)}::uuid[]) then ${read(same[0]!)}`,
  );
  return sql`(case ${join(cases, ' ')}${onlyThese ? empty : sql` else ${otherwise()}`} end)`;
};

const slotOf = ({ name, type, slot }: DeclaredVariable, exact: boolean): Sql => {
  const text = kindOfVariable[type] === 'keyword';
  if (slot === null) return text ? sql`null::text` : exact ? sql`null::int8` : sql`null::float8`;
  if (text) return sql`r.texts[${slot}::int]`;
  if (!exact) return sql`r.numbers[${slot}::int]`;
  if (type !== VariableType.INT64) return sql`r.numbers[${slot}::int]::int8`;
  const number = sql`r.numbers[${slot}::int]`;
  return sql`(case when ${number} is null then null when abs(${number}) < 9007199254740992 then ${number}::int8 else ${exactText(name)}::numeric::int8 end)`;
};

/** The digits of a whole number beyond what a double holds, alone or as the only such value of an array. */
const exactText = (name: string): Sql =>
  sql`(jsonb_path_query_first(r.data -> ${name}::text, 'strict $.** ? (@.type() == "number" || (@.type() == "string" && @ like_regex "^[+-]?[0-9]+$"))') #>> '{}')`;

/** The value of a record whose product does not declare the variable, as far as it has the declared kind. */
const fallback = (name: string, kind: FieldKind, storage: Field['storage']): Sql => {
  const node = sql`(r.data -> ${name}::text)`;
  if (kind === 'keyword') return scalar('text', node);
  if (kind === 'boolean') return scalar('boolean', node);
  const value = scalar('number', node);
  if (kind === 'double') return value;
  const whole = sql`(select n from (select ${value} as n) x where n = trunc(n) and abs(n) <= 9007199254740991)`;
  return storage === 'int8' ? sql`${whole}::int8` : whole;
};

/** The values that came as an array, else the one of the slot. */
const stored = (name: string, value: Sql, storage: Field['storage'], kind: FieldKind): Sql => {
  const items = sql`jsonb_array_elements_text(r.many -> ${name}::text)`;
  const item =
    kind === 'boolean'
      ? sql`(e = 'true')::int::float8`
      : storage === 'float8'
        ? sql`e::float8`
        : storage === 'int8'
          ? sql`e::int8`
          : sql`e`;
  return sql`(case when r.many -> ${name}::text is not null then (select array_agg(${item}) from ${items} e) else array_remove(array[${value}], null) end)`;
};

const scalar = (kind: SeenField['kind'], node: Sql): Sql => {
  const text = sql`(${node} #>> '{}')`;
  switch (kind) {
    case 'number':
      return sql`(case jsonb_typeof(${node}) when 'number' then (${node})::float8 when 'string' then case when ${text} ~ '^-?[0-9]{1,40}([.][0-9]{1,40})?$' then ${text}::float8 end end)`;
    case 'boolean':
      return sql`(case ${text} when 'true' then 1::float8 when 'false' then 0::float8 end)`;
    case 'text':
      return sql`(case when jsonb_typeof(${node}) in ('string', 'number', 'boolean') then ${text} end)`;
  }
};

const several = (kind: SeenField['kind'], node: Sql): Sql => {
  const items = sql`jsonb_array_elements(case jsonb_typeof(${node}) when 'array' then ${node} else jsonb_build_array(${node}) end)`;
  return sql`(select array_agg(v) from (select ${scalar(kind, sql`e`)} as v from ${items} e) x where v is not null)`;
};
