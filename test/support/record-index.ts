import { journalSession } from '../../src/records/opensearch/session.js';

declare global {
  /** Set by Jest's project `cluster`. */
  var recordIndex: 'opensearch' | undefined;
}

/** Where the tests that run now have the index of their records. */
export const testRecordIndex = (): 'postgres' | 'opensearch' => globalThis.recordIndex ?? 'postgres';

/**
 * The settings that put the records of a test's service where this run wants them. Indices have the name of the database
 * before theirs, so that test files share a cluster; a search finds whatever was acknowledged before it.
 */
export const recordIndexSettings = (databaseUrl: string): Readonly<Record<string, string>> =>
  testRecordIndex() === 'postgres'
    ? {}
    : {
        RECORD_INDEX: 'opensearch',
        OPENSEARCH_URL: clusterUrl()!,
        OPENSEARCH_INDEX_PREFIX: indexPrefixOf(databaseUrl),
        OPENSEARCH_REPLICAS: '0',
        SEARCH_FRESHNESS: 'strict',
      };

/** The session in which SQL of a test finds the table `record` that services write. */
export const recordSession = (): string => (testRecordIndex() === 'postgres' ? '' : journalSession);

/** Addresses of the cluster that tests use, separated by commas; undefined where there is none. */
const clusterUrl = (): string | undefined => process.env['OPENSEARCH_URL'] || undefined;

/** What the names of a test database's indices begin with. */
const indexPrefixOf = (databaseUrl: string): string => new URL(databaseUrl).pathname.slice(1);

/** Deletes the indices and templates whose names begin so. Clusters refuse to delete by pattern, so they are listed. */
export const deleteIndices = async (prefix: string): Promise<void> => {
  const [node] = (clusterUrl() ?? '').split(',');
  if (!node) return;
  const call = async (method: string, path: string) => (await fetch(`${node}/${path}`, { method })).json();
  const indices = (await call('GET', `_cat/indices/${prefix}*?format=json&h=index`)) as { index: string }[];
  for (const { index } of indices) await call('DELETE', index);
  const { index_templates: templates = [] } = (await call('GET', `_index_template/${prefix}*`)) as {
    index_templates?: { name: string }[];
  };
  for (const { name } of templates) await call('DELETE', `_index_template/${name}`);
};
