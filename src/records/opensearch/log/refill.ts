import sql from 'sql-template-tag';
import { loadShape } from '#records/scope/product-shape.js';
import { loadShapeTypes, rowsOf, typedAs } from '../rows.js';
import { type After, readPage, type StoredDocument } from '../stored-document.js';
import type { PlaceKind } from '../value.js';
import type { ClusterLogOptions } from './options.js';

/** Number of documents of one page. */
const pageSize = 2000;
/** Time in seconds after which indexers that began before a place was added are done. */
const settled = 90;

/** A place whose older documents still lack their values. */
interface Refill {
  organizationId: string;
  path: string;
  kind: PlaceKind;
}

/**
 * Fills a place that was added after documents with a value for it were made: it remakes them, each with its next
 * version. Returns whether there was one. An interrupted refill begins again.
 */
export const refillPlace = async (options: ClusterLogOptions, stopped: () => boolean): Promise<boolean> => {
  const { pool, client, names } = options;
  const { rows } = await pool.query<Refill & { others: string[] }>(sql`
    select r.organization_id as "organizationId", r.path, r.kind,
           array(select field from index_place p where p.organization_id = r.organization_id and p.path = r.path) as others
      from index_refill r where created_at < clock_timestamp() - make_interval(secs => ${settled})
     order by created_at limit 1`);
  const [refill] = rows;
  if (!refill) return false;
  const { organizationId, path, kind, others } = refill;
  await client.indices.refresh({ index: names.all, ignore_unavailable: true, allow_no_indices: true });
  let after: After | undefined;
  do {
    const { documents, next } = await readPage(client, {
      index: names.all,
      routing: organizationId,
      query: {
        bool: {
          filter: [{ term: { o: organizationId } }],
          should: others.map((field) => ({ exists: { field } })),
          minimum_should_match: 1,
        },
      },
      sort: ['seq'],
      size: pageSize,
      after,
    });
    await remake(options, documents);
    after = next;
    if (stopped()) return false;
  } while (after);
  await pool.query(sql`
    delete from index_refill where organization_id = ${organizationId} and path = ${path} and kind = ${kind}`);
  return true;
};

/** Remakes documents from their content, with today's places. */
const remake = async (
  { pool, maker, writer }: ClusterLogOptions,
  documents: readonly StoredDocument[],
): Promise<void> => {
  const shapes = await loadShapeTypes(pool, documents);
  const contents = [];
  for (const [productId, some] of Map.groupBy(documents, (document) => document.productId)) {
    const shape = productId === null ? undefined : await loadShape(pool, productId, some[0]!.organizationId);
    for (const document of some) {
      const { source, ignored } = document;
      const slots = shape ? typedAs(document, shape.slots, shapes) : [];
      contents.push({ document, metadata: source.metadata, data: source.data, slots, ignored });
    }
  }
  const versions = new Map(documents.map(({ id, version }) => [id, version + 1]));
  const { items } = await maker.make(await rowsOf(pool, contents), ({ id }) => versions.get(id)!);
  await writer.write(items);
};
