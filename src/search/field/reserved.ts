import type { Field, FieldKind, ValueType } from './field.js';

const reserved = (path: string, kind: FieldKind, valueType: ValueType, rest: Partial<Field> = {}): Field => ({
  path,
  kind,
  valueType,
  origin: { kind: 'reserved' },
  multi: false,
  always: false,
  ofDevice: false,
  ...rest,
});

const all: readonly Field[] = [
  reserved('ts', 'date', 'timestamp', { always: true }),
  reserved('_doc', 'long', 'long', { always: true }),
  reserved('_id', 'keyword', 'text', { always: true }),
  reserved('product.id', 'keyword', 'text'),
  reserved('device.product.id', 'keyword', 'text'),
  reserved('device.id', 'keyword', 'text', { always: true }),
  reserved('device.organizationId', 'keyword', 'text', { always: true }),
  reserved('device.serial', 'keyword', 'text', { ofDevice: true, always: true }),
  reserved('device.name', 'keyword', 'text', { ofDevice: true }),
  reserved('device.tags', 'keyword', 'text', { ofDevice: true, multi: true }),
  reserved('device.site.id', 'keyword', 'text', { ofDevice: true, multi: true }),
  reserved('device.location', 'geo_point', 'point', { ofDevice: true }),
];

/** The fields that exist for every record, by path. */
export const reservedFields: ReadonlyMap<string, Field> = new Map(all.map((field) => [field.path, field]));

const valueTypes: Readonly<Record<FieldKind, ValueType>> = {
  keyword: 'text',
  date: 'timestamp',
  geo_point: 'point',
  double: 'double',
  long: 'double',
  boolean: 'double',
};

/** Creates a field that no record has, with an assumed kind. */
export const emptyField = (path: string, kind: FieldKind): Field => ({
  path,
  kind,
  valueType: valueTypes[kind],
  origin: { kind: 'none' },
  multi: false,
  always: false,
  ofDevice: false,
});
