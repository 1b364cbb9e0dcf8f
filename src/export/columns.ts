import sql from 'sql-template-tag';
import { productRows } from '#auth/rows.js';
import { type Fault, invalid } from '#common/errors.js';
import { VariableType } from '#entities/enums.js';
import { isId } from '#entities/id.js';
import type { Variable } from '#entities/product.js';
import type { RecordIndex } from '#records/record-index.js';
import type { Context } from '#schema/context.js';
import type { ExportArgs } from '#schema/export.args.js';
import type { FieldKind } from '#search/field/field.js';
import type { Column, ColumnKind } from './table.js';

const ofVariable: Readonly<Record<VariableType, ColumnKind>> = {
  [VariableType.BOOL]: 'boolean',
  [VariableType.TXT]: 'text',
  [VariableType.INT16]: 'long',
  [VariableType.INT64]: 'long',
  [VariableType.FLOAT32]: 'double',
  [VariableType.UINT8]: 'long',
  [VariableType.UINT16]: 'long',
  [VariableType.UINT32]: 'long',
};

const ofField: Readonly<Record<FieldKind, ColumnKind>> = {
  keyword: 'text',
  date: 'time',
  geo_point: 'json',
  double: 'double',
  long: 'long',
  boolean: 'boolean',
};

/** Columns of every record, which come first unless the caller chose columns. */
const first: readonly Column[] = [
  { path: 'id', kind: 'text' },
  { path: 'ts', kind: 'time' },
  { path: 'device.id', kind: 'text' },
  { path: 'device.serial', kind: 'text' },
  { path: 'device.name', kind: 'text' },
];

const others: readonly Column[] = [
  { path: 'cursor', kind: 'text' },
  { path: 'device.organizationId', kind: 'text' },
  { path: 'device.product.id', kind: 'text' },
  { path: 'device.tags', kind: 'json' },
  { path: 'device.location.lat', kind: 'double' },
  { path: 'device.location.lon', kind: 'double' },
];

/** Top-level fields of a record. */
const places = new Set(['id', 'cursor', 'ts', 'device', 'data', 'metadata', 'frame']);

/** Maximum number of variables that get columns without being chosen. */
const mostVariables = 500;

/**
 * Returns the columns of an export of records: the chosen ones if there are any. Otherwise, returns the record's own
 * columns and the variables of the products of the application's devices, in the order of their declaration. If no
 * product declares variables, the fields that occur replace them.
 * @throws ApiError 422 that names each column that no record can have
 */
export const recordColumns = async (
  ctx: Context,
  index: Pick<RecordIndex, 'fields'>,
  args: ExportArgs,
): Promise<readonly Column[]> => {
  const { organizationId, applicationId, columns } = args;
  const faults: Fault[] = (columns ?? []).flatMap((path, at) =>
    places.has(path.split('.', 1)[0]!) ? [] : [{ path: `columns.${at}`, message: unknownColumn }],
  );
  if (faults.length > 0) throw invalid(faults);
  const declared = await declaredColumns(ctx, args);
  const seen = async () =>
    (await index.fields({ organizationId, applicationId, position: ctx.position, signal: ctx.signal })).map(
      ({ path, type }): Column => ({ path, kind: ofField[type] }),
    );
  if (columns == null || columns.length === 0) {
    if (declared.length > 0) return [...first, ...declared];
    const data = (await seen()).filter(({ path }) => path.startsWith('data.'));
    return [...first, ...data.slice(0, mostVariables)];
  }
  const known = new Map([...first, ...others, ...declared].map((column) => [column.path, column]));
  const fields = columns.every((path) => known.has(path)) ? [] : await seen();
  const found = new Map([...fields, ...known.values()].map((column) => [column.path, column]));
  return columns.map((path) => found.get(path) ?? { path, kind: 'json' });
};

const unknownColumn = 'must be id, ts, cursor, or lie in device, data, metadata or frame';

/**
 * Returns the variables of products, each once. A variable that products declare with different types may hold any
 * value.
 */
const declaredColumns = async (
  { caller, read }: Context,
  { applicationId, products }: ExportArgs,
): Promise<readonly Column[]> => {
  const devices = sql`select d.product_id from application_device l join device d on d.id = l.device_id
    where l.application_id = ${applicationId}`;
  const chosen = products?.length ? sql` and p.id = any(${products.filter(isId)}::uuid[])` : sql``;
  const rows = await read<{ variables: readonly Variable[] }>(
    sql`${productRows(caller)} where p.id in (${devices})${chosen} order by p.id`,
  );
  const types = new Map<string, Set<VariableType>>();
  for (const { name, type } of rows.flatMap(({ variables }) => variables)) {
    const path = `data.${name}`;
    types.set(path, (types.get(path) ?? new Set()).add(type));
  }
  return [...types].map(([path, set]) => {
    const kind = [...set].map((type) => ofVariable[type]).reduce(commonKind);
    const isText = set.has(VariableType.TXT);
    return kind === 'json' ? { path, kind, isText } : { path, kind, types: [...set], isText };
  });
};

const numbers = new Set<ColumnKind>(['double', 'long']);

const commonKind = (one: ColumnKind, other: ColumnKind): ColumnKind => {
  if (one === other) return one;
  return numbers.has(one) && numbers.has(other) ? 'double' : 'json';
};
