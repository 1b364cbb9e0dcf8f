import sql from 'sql-template-tag';
import { removeDocuments } from '../remove.js';
import type { ClusterLogOptions } from './options.js';

/** Number of devices of one page. */
const pageSize = 10_000;

interface Page {
  after_key?: { d: string };
  buckets: { key: { d: string } }[];
}

/**
 * Deletes the documents of deleted devices, however they were left behind. Returns their number. Reads every document.
 */
export const removeOrphans = async (
  options: Pick<ClusterLogOptions, 'pool' | 'client' | 'names' | 'writer'>,
): Promise<number> => {
  const { pool, client, names } = options;
  let removed = 0;
  let after: { d: string } | undefined;
  do {
    const { body } = await client.search({
      index: names.all,
      ignore_unavailable: true,
      allow_no_indices: true,
      body: {
        size: 0,
        track_total_hits: false,
        aggs: {
          devices: {
            composite: { size: pageSize, sources: [{ d: { terms: { field: 'd' } } }], ...(after && { after }) },
          },
        },
      },
    } as never);
    const page = (body.aggregations as unknown as { devices: Page } | undefined)?.devices;
    if (!page) return removed;
    const { rows } = await pool.query<{ id: string }>(sql`
      select id from unnest(${page.buckets.map(({ key }) => key.d)}::uuid[]) w (id)
       where not exists (select from device d where d.id = w.id)`);
    if (rows.length > 0) removed += await removeDocuments(options, { terms: { d: rows.map(({ id }) => id) } });
    after = page.after_key;
  } while (after);
  return removed;
};
