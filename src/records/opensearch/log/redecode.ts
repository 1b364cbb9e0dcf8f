import { isDeepStrictEqual } from 'node:util';
import type { PoolClient } from 'pg';
import { notFound } from '#common/errors.js';
import { type AttributeHistory, loadAttributes } from '#records/derive/attribute.js';
import { comparePositions } from '#records/derive/past.js';
import { contentToday, type GivenFields, type StoredFrame } from '#records/new-record.js';
import type { RedecodeInput } from '#records/postgres/log/redecode.js';
import type { LogJob, LogStep } from '#records/record-log.js';
import { loadShape, type ProductShape } from '#records/scope/product-shape.js';
import { typeData } from '#records/typed-data.js';
import { type Content, loadShapeTypes, rowsOf, type ShapeTypes, typedAs } from '../rows.js';
import { type After, countDocuments, measured, readPage, type StoredDocument } from '../stored-document.js';
import type { ClusterLogOptions } from './options.js';
import { type PageLines, readLines } from './page-lines.js';

/** Number of records of one step. */
const stepSize = 2000;

/**
 * Creates the step of a job that decodes records again over the index, as `records/postgres/log/redecode.ts` does over
 * PostgreSQL.
 */
export const createRedecode =
  ({ pool, client, names, writer, maker, fresh }: ClusterLogOptions) =>
  async (tx: PoolClient, { organizationId, input, cursor }: LogJob): Promise<LogStep> => {
    const { productId, deviceIds, from, to, dryRun } = input as unknown as RedecodeInput;
    // New slots are committed at once: the maker of documents reads them over another connection.
    const shape = await loadShape(pool, productId, organizationId);
    if (!shape) throw notFound('product');
    await fresh(organizationId);
    const index = names.between(from, to);
    const query = {
      bool: {
        filter: [
          { term: { o: organizationId } },
          { term: { p: productId } },
          ...(deviceIds ? [{ terms: { d: deviceIds } }] : []),
          measured(from, to),
        ],
      },
    };
    const { documents, next } = await readPage(client, {
      index,
      routing: organizationId,
      query,
      sort: ['us', 'seq'],
      size: stepSize,
      after: (cursor as After | null) ?? undefined,
    });
    const shapes = await loadShapeTypes(tx, documents);
    const attributeNames = shape.derivation?.attributes ?? [];
    const attributes = await loadAttributes(
      tx,
      documents.map(({ deviceId, us }) => ({ deviceId, ts: us / 1e6, names: attributeNames })),
    );
    const lines = await readLines({ client, names }, { organizationId, productId, shape }, documents);
    const changes = documents
      .toSorted((one, other) => comparePositions(positionIn(one), positionIn(other)))
      .flatMap((document) => changeOf(document, { shape, shapes, attributes, lines }) ?? []);
    if (!dryRun && changes.length > 0) {
      const versions = new Map(changes.map(({ document: { id, version } }) => [id, version + 1]));
      const { items } = await maker.make(await rowsOf(tx, changes), ({ id }) => versions.get(id)!);
      await writer.write(items);
      if (lines) await lines.note(tx, changes, to === null);
    }
    return {
      cursor: next ? [...next] : cursor,
      done: documents.length,
      changed: changes.length,
      ...(cursor === null && { total: await countDocuments(client, index, query) }),
      finished: next === undefined,
    };
  };

const positionIn = ({ id, us }: StoredDocument) => ({ id, ts: us / 1e6 });

/** The inputs of computing the records of a page. */
interface Terms {
  shape: ProductShape;
  shapes: ShapeTypes;
  attributes: AttributeHistory | undefined;
  lines: PageLines | undefined;
}

/** Returns the record as it would be stored today, or undefined if that would not change it. Adds it to its line. */
const changeOf = (document: StoredDocument, { shape, shapes, attributes, lines }: Terms): Content | undefined => {
  const { slots } = shape;
  const { metadata, data, ...source } = document.source;
  const frame = source.frame as unknown as StoredFrame | undefined;
  const given = source.given as unknown as GivenFields | undefined;
  const ts = document.us / 1e6;
  const attribute = attributes?.at(document.deviceId, ts);
  const now = contentToday({ metadata, data, frame, given }, shape, {
    attribute,
    past: lines?.past(document.deviceId),
    ts,
  });
  lines?.add(document, now.data);
  const ignored = typeData(now.data, slots).ignored ?? null;
  const concerned = slots.filter(({ name }) => (now.data[name] ?? null) !== null);
  const same =
    isDeepStrictEqual(now, { metadata, data, given }) &&
    isDeepStrictEqual(ignored, document.ignored) &&
    typedAs(document, concerned, shapes).length === concerned.length;
  return same ? undefined : { document, ...now, slots, ignored };
};
