import sql from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import type { GivenFields } from '#records/new-record.js';
import type { Slot } from '#records/scope/slot.js';
import type { PlainObject } from '../item.js';
import { typeData } from '../typed-data.js';
import type { IndexableRow } from './journal/read.js';
import type { StoredDocument } from './stored-document.js';

/** Content to store for a record, with its typed values. */
export interface Content {
  document: StoredDocument;
  metadata: PlainObject;
  data: PlainObject;
  /** Fields beside a frame and names of derived variables; absent: as they were. */
  given?: GivenFields | undefined;
  /** Variables whose values are in their slots. The record has no values of others. */
  slots: readonly Slot[];
  /** Paths whose values do not fit their variables. */
  ignored: string[] | null;
}

/** Types of variables by name, for each shape (table `index_shape`). */
export type ShapeTypes = ReadonlyMap<number, Readonly<Record<string, string>>>;

/** Loads the types of shapes. */
export const loadShapeTypes = async (
  database: Queryable,
  documents: readonly StoredDocument[],
): Promise<ShapeTypes> => {
  const ids = [...new Set(documents.flatMap(({ shape }) => shape ?? []))];
  const { rows } = await database.query<{ id: number; types: Record<string, string> }>(
    sql`select id, types from index_shape where id = any(${ids}::int[])`,
  );
  return new Map(rows.map(({ id, types }) => [id, types]));
};

/** Returns the variables whose values a document holds under their current type. */
export const typedAs = (
  { shape, source }: StoredDocument,
  slots: readonly Slot[],
  shapes: ShapeTypes,
): readonly Slot[] => {
  const types = (shape !== null && shapes.get(shape)) || {};
  return slots.filter(({ name, type }) => types[name] === type && !source.stale?.includes(`data.${name}`));
};

/** Builds the rows of documents, as the table `record` would hold them. Omits those of deleted devices. */
export const rowsOf = async (database: Queryable, contents: readonly Content[]): Promise<IndexableRow[]> => {
  const parts = contents.map(({ document: { id, organizationId, deviceId, productId }, metadata, data }) => ({
    id,
    organization: organizationId,
    device: deviceId,
    product: productId,
    metadata,
    data,
  }));
  // PostgreSQL normalizes the JSON, for example its order of keys.
  const { rows } = await database.query<
    Pick<IndexableRow, 'id' | 'deviceNumber' | 'metadata' | 'data' | 'foreign' | 'version'>
  >(sql`
    select w.id, d.number as "deviceNumber", w.metadata::text as metadata, w.data::text as data,
           p.organization_id <> w.organization as "foreign", p.xmin::text as version
      from jsonb_to_recordset(${JSON.stringify(parts)}::jsonb)
        as w (id uuid, organization uuid, device uuid, product uuid, metadata jsonb, data jsonb)
      join device d on d.id = w.device left join product p on p.id = w.product`);
  const found = new Map(rows.map((row) => [row.id, row]));
  return contents.flatMap((content): IndexableRow[] => {
    const { document, data, slots, ignored } = content;
    const { id, organizationId, deviceId, productId, us, seq, source } = document;
    const row = found.get(id);
    if (!row) return [];
    const typed = typeData(data, slots);
    const given = 'given' in content ? content.given : source.given;
    return [
      {
        ...row,
        organizationId,
        deviceId,
        productId,
        us,
        seq,
        frame: source.frame ? JSON.stringify(source.frame) : null,
        given: given ? JSON.stringify(given) : null,
        numbers: typed.numbers ?? null,
        texts: typed.texts ?? null,
        many: typed.many ?? null,
        ignored,
      },
    ];
  });
};
