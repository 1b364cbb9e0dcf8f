import sql, { type Sql } from 'sql-template-tag';
import type { Field, FieldKind } from './field.js';

const text = (path: string, value: Sql, rest: Partial<Field> = {}): Field => ({
  path,
  kind: 'keyword',
  storage: 'text',
  value,
  always: false,
  ofDevice: false,
  ...rest,
});
const identifier = (path: string, column: Sql, always: boolean): Field =>
  text(path, sql`${column}::text`, { uuid: column, always });
const deviceText = (path: string, value: Sql, rest: Partial<Field> = {}) =>
  text(path, value, { ofDevice: true, ...rest });

const productId = sql`r.product_id`;
const all: readonly Field[] = [
  { path: 'ts', kind: 'date', storage: 'timestamptz', value: sql`r.ts`, always: true, ofDevice: false },
  { path: '_doc', kind: 'long', storage: 'int8', value: sql`r.seq`, always: true, ofDevice: false },
  identifier('_id', sql`r.id`, true),
  identifier('product.id', productId, false),
  identifier('device.product.id', productId, false),
  identifier('device.id', sql`r.device_id`, true),
  identifier('device.organizationId', sql`r.organization_id`, true),
  deviceText('device.serial', sql`d.serial`, { always: true }),
  deviceText('device.name', sql`d.name`),
  deviceText('device.tags', sql`d.tags[1]`, { values: sql`d.tags` }),
  {
    path: 'device.location',
    kind: 'geo_point',
    storage: 'point',
    value: sql`d.lat`,
    longitude: sql`d.lon`,
    always: false,
    ofDevice: true,
  },
];

/** The fields that every record has a place for, by path, in the alias `r` of record and `d` of device. */
export const reservedFields: ReadonlyMap<string, Field> = new Map(all.map((field) => [field.path, field]));

/** A field that the catalogue does not have, in the type that a sort asks for. */
export const emptyField = (path: string, kind: FieldKind): Field => {
  const base = { path, kind, always: false, ofDevice: false };
  if (kind === 'keyword') return { ...base, storage: 'text', value: sql`null::text` };
  if (kind === 'date') return { ...base, storage: 'timestamptz', value: sql`null::timestamptz` };
  return { ...base, storage: 'float8', value: sql`null::float8` };
};
