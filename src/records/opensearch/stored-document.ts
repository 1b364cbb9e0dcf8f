import type { Client } from '@opensearch-project/opensearch';
import type { DocumentSource } from './document.js';

/** A document as it is read to be written anew, moved or deleted. */
export interface StoredDocument {
  id: string;
  index: string;
  version: number;
  organizationId: string;
  deviceId: string;
  productId: string | null;
  /** Microseconds since 1970. */
  us: number;
  seq: number;
  /** See {@link Shapes}; null for a record of no product. */
  shape: number | null;
  source: DocumentSource;
  ignored: string[] | null;
}

/** Where a page begins: after the sort values of the last document of the page before. */
export type After = readonly number[];

/** Which documents to read, and in which order. */
export interface PageRequest {
  index: string;
  /** The organization, where all are of one. */
  routing?: string;
  query: object;
  sort: readonly ('us' | 'seq')[];
  size: number;
  after?: After | undefined;
}

interface Hit {
  _id: string;
  _index: string;
  _version: number;
  _source: { src: string; ig?: string[] };
  fields: { o: [string]; d: [string]; p?: [string]; us: [number]; seq: [number]; shape?: [number] };
  sort: number[];
}

const fields = ['o', 'd', 'p', 'us', 'seq', 'shape'];

/** Reads a page of documents; `next` is where the one after it begins, undefined after the last. */
export const readPage = async (
  client: Client,
  { index, routing, query, sort, size, after }: PageRequest,
): Promise<{ documents: StoredDocument[]; next?: After }> => {
  const { body } = await client.search({
    index,
    ignore_unavailable: true,
    allow_no_indices: true,
    ...(routing !== undefined && { routing }),
    body: {
      size,
      query,
      version: true,
      track_total_hits: false,
      docvalue_fields: fields,
      sort: sort.map((field) => ({ [field]: { order: 'asc', unmapped_type: 'long' } })),
      ...(after && { search_after: after }),
    },
  } as never);
  const { hits } = body.hits as unknown as { hits: Hit[] };
  const last = hits.at(-1);
  return { documents: hits.map(documentOfHit), ...(last && hits.length === size && { next: last.sort }) };
};

const documentOfHit = ({ _id, _index, _version, _source, fields: found }: Hit): StoredDocument => {
  const { o, d, p, us, seq, shape } = found;
  return {
    id: _id,
    index: _index,
    version: _version,
    organizationId: o[0],
    deviceId: d[0],
    productId: p?.[0] ?? null,
    us: us[0],
    seq: seq[0],
    shape: shape?.[0] ?? null,
    source: JSON.parse(_source.src) as DocumentSource,
    ignored: _source.ig ?? null,
  };
};

/** Counts the documents that a query matches. */
export const countDocuments = async (client: Client, index: string, query: object): Promise<number> => {
  const { body } = await client.count({
    index,
    ignore_unavailable: true,
    allow_no_indices: true,
    body: { query },
  } as never);
  return body.count;
};

/** The condition that a record was measured in a range of Unix seconds, both included; null is open. */
export const measured = (from: number | null, to: number | null): object => ({
  range: {
    us: {
      ...(from !== null && { gte: Math.round(from * 1e6) }),
      ...(to !== null && { lte: Math.round(to * 1e6) }),
    },
  },
});
