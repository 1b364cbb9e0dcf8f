import type { Client } from '@opensearch-project/opensearch';
import type { DocumentSource } from './document.js';

/** A document as it is read in order to rewrite, move or delete it. */
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
  /** See {@link Shapes}; null for a record without a product. */
  shape: number | null;
  source: DocumentSource;
  ignored: string[] | null;
}

/** Sort values of the last document of the previous page. */
export type After = readonly number[];

/** Selects the documents to read, and their order. */
export interface PageRequest {
  index: string;
  /** The organization's identifier, if all documents belong to one. */
  routing?: string;
  query: object;
  sort: readonly ('us' | 'seq')[];
  isDescending?: boolean;
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

/** Reads a page of documents. `next` is the position of the next page; undefined after the last. */
export const readPage = async (
  client: Client,
  { index, routing, query, sort, isDescending = false, size, after }: PageRequest,
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
      sort: sort.map((field) => ({ [field]: { order: isDescending ? 'desc' : 'asc', unmapped_type: 'long' } })),
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

/** Builds the condition that a record was measured in a range of Unix seconds, both included; null is an open end. */
export const measured = (from: number | null, to: number | null): object => ({
  range: {
    us: {
      ...(from !== null && { gte: Math.round(from * 1e6) }),
      ...(to !== null && { lte: Math.round(to * 1e6) }),
    },
  },
});
