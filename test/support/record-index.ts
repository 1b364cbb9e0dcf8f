import { journalSession } from '#records/opensearch/session.js';

declare global {
  /** Set by Jest's project `cluster`. */
  var recordIndex: 'opensearch' | undefined;
  /** Set by Jest's projects `blocks` and `frozen`. */
  var recordBlocks: true | 'frozen' | undefined;
}

/** Returns the record index of the current tests. */
export const testRecordIndex = (): 'postgres' | 'opensearch' => globalThis.recordIndex ?? 'postgres';

/** Returns where the records of the current tests are: a record index, or in blocks alone as far as days are over. */
export const testRecordPlace = (): 'postgres' | 'opensearch' | 'frozen' =>
  testsFrozen() ? 'frozen' : testRecordIndex();

/** Whether the records of the current tests are in blocks, and searches read them. */
export const testsBlocks = (): boolean => globalThis.recordBlocks !== undefined;

/** Whether only blocks hold the records of the current tests. */
export const testsFrozen = (): boolean => globalThis.recordBlocks === 'frozen';

/**
 * Returns the settings that select the record index of this run. Index names begin with the name of the database, so
 * that test files can share a cluster. Searches find all records acknowledged before them.
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

/** Returns the session options with which a test's SQL finds the table `record` that services write. */
export const recordSession = (): string => (testRecordIndex() === 'postgres' ? '' : journalSession);

/** Returns the addresses of the test cluster, separated by commas; undefined when there is none. */
const clusterUrl = (): string | undefined => process.env['OPENSEARCH_URL'] || undefined;

/** Returns the prefix of a test database's index names. */
const indexPrefixOf = (databaseUrl: string): string => new URL(databaseUrl).pathname.slice(1);

/**
 * Deletes the indices and templates with this prefix. Clusters refuse to delete by pattern, so they are listed first.
 */
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
