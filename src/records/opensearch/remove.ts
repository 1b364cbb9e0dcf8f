import type { Client } from '@opensearch-project/opensearch';
import type { BulkWriter } from './bulk.js';
import type { IndexNames } from './indices.js';

/** Number of documents of one request. */
const pageSize = 5000;

interface Hit {
  _id: string;
  _index: string;
  _routing: string;
  _version: number;
}

/**
 * Deletes the documents that a query matches, page by page, and returns their number. A deletion has a version of its
 * own, so that an older write that arrives late is refused. `stopped` is checked between pages.
 */
export const removeDocuments = async (
  { client, writer, names }: { client: Client; writer: BulkWriter; names: IndexNames },
  query: object,
  stopped: () => boolean = () => false,
): Promise<number> => {
  let removed = 0;
  for (;;) {
    await client.indices.refresh({ index: names.all, ignore_unavailable: true, allow_no_indices: true });
    const { body } = await client.search({
      index: names.all,
      ignore_unavailable: true,
      allow_no_indices: true,
      body: { size: pageSize, query, version: true, _source: false, track_total_hits: false },
    } as never);
    const { hits } = body.hits as unknown as { hits: Hit[] };
    if (hits.length === 0) return removed;
    await writer.write(
      hits.map(({ _id: id, _index: index, _routing: routing, _version }) => ({
        id,
        index,
        routing,
        version: _version + 1,
        document: undefined,
      })),
    );
    removed += hits.length;
    if (stopped()) return removed;
  }
};
