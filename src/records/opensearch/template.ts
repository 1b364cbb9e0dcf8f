import type { Client } from '@opensearch-project/opensearch';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { ClusterConfig } from '#config/cluster-setting.js';
import { transaction } from '#database/transaction.js';
import { indexNames, mappingVersion } from './indices.js';

/**
 * Maximum length of a searchable text. Longer texts are shown but not searchable. UTF-16 units, of at most three bytes
 * each.
 */
export const longestKeyword = 8191;

/** Maximum number of fields of one index. With more, the state of the cluster grows too large. */
const maxFields = 10_000;

/** Fields of every record. Its measured values are in places, see {@link Places}. */
const properties = {
  /** Organization, device and product. */
  o: { type: 'keyword' },
  d: { type: 'keyword' },
  p: { type: 'keyword' },
  /** The device's number (`device.number`), which is smaller than its identifier in queries that name many devices. */
  dn: { type: 'integer' },
  /** Time of measurement: milliseconds, and microseconds, since 1970. */
  ts: { type: 'date', format: 'epoch_millis' },
  us: { type: 'long' },
  /** Sequence number in the order of storing. */
  seq: { type: 'long' },
  /** Types of its product's variables, see {@link Shapes}. */
  shape: { type: 'integer' },
  /** Paths whose values do not fit their variables. */
  ig: { type: 'keyword' },
  /** Paths whose values are found as numbers but were not sent as single numbers. */
  odd: { type: 'keyword' },
  /** The record as it is shown, as JSON text, so that the engine interprets neither its numbers nor its keys. */
  src: { type: 'keyword', index: false, doc_values: false },
} as const;

/** Mappings of the places of each family: numbers, whole numbers beyond 2^53, and texts. */
const places = {
  n: { type: 'double' },
  l: { type: 'long' },
  k: { type: 'keyword', ignore_above: longestKeyword },
} as const;

/** A place is mapped when the first record of a month has it, unless {@link makeNextIndex} has mapped it before. */
const dynamicTemplates = Object.entries(places).map(([family, mapping]) => ({
  [family]: { match: `${family}*`, mapping },
}));

/** Returns the mapping of a field that is a place, such as `n7`; undefined for other fields. */
export const placeOf = (field: string): (typeof places)[keyof typeof places] | undefined =>
  /^[nlk]\d+$/.test(field) ? places[field[0] as keyof typeof places] : undefined;

/**
 * Creates or updates the template of the monthly indices.
 * @throws Error if the cluster has documents that a newer release wrote
 */
const ensureTemplate = async (client: Client, config: ClusterConfig): Promise<void> => {
  const { prefix, replicas } = config;
  const names = indexNames(prefix);
  await requireVersion(client, names.allVersions);
  const { body: nodes } = await client.cat.nodes({ format: 'json', h: ['node.role'] });
  const dataNodes = (nodes as { 'node.role'?: string }[]).filter((node) => node['node.role']?.includes('d')).length;
  await client.indices.putIndexTemplate({
    name: templateName(config),
    body: {
      index_patterns: [names.all],
      priority: 200,
      template: {
        settings: {
          index: {
            number_of_shards: Math.max(1, dataNodes),
            auto_expand_replicas: `0-${replicas}`,
            refresh_interval: '1s',
            // For this long after a deletion, the index rejects late writes that were sent before it.
            gc_deletes: '10m',
            'mapping.total_fields.limit': maxFields,
          },
        },
        mappings: {
          _source: { includes: ['src', 'ig'] },
          _routing: { required: true },
          date_detection: false,
          numeric_detection: false,
          dynamic_templates: dynamicTemplates,
          properties,
        },
        aliases: { [names.alias]: {} },
      },
    },
  } as never);
};

const requireVersion = async (client: Client, pattern: string): Promise<void> => {
  const { body } = await client.indices.get({ index: pattern, allow_no_indices: true, ignore_unavailable: true });
  const versions = Object.keys(body).map((name) => Number(/-records-(\d+)-/.exec(name)?.[1] ?? mappingVersion));
  const newest = Math.max(mappingVersion, ...versions);
  if (newest > mappingVersion)
    throw new Error(
      `The cluster has records in indices of version ${newest} (${pattern}), and this release writes version ${mappingVersion}: start a newer release, or set OPENSEARCH_INDEX_PREFIX.`,
    );
};

/**
 * Makes sure that the cluster has what documents need.
 * @param isDoubtful whether the cluster may have lost it since the last call
 */
export type Readiness = (isDoubtful?: boolean) => Promise<void>;

/**
 * Creates the function that makes sure, once in this process, that the template exists. Only one process at a time
 * creates it.
 */
export const createReadiness = (client: Client, config: ClusterConfig, pool: Pool): Readiness => {
  let making: Promise<void> | undefined;
  const make = () =>
    transaction(pool, async (tx) => {
      await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`template ${config.prefix}`}, 0))`);
      await ensureTemplate(client, config);
    });
  return async (isDoubtful = false) => {
    // Without the template the cluster would create indices with fields of its own choice.
    if (isDoubtful && making !== undefined) {
      await making;
      const { body: isThere } = await client.indices.existsIndexTemplate({ name: templateName(config) });
      if (!isThere) making = undefined;
    }
    making ??= make().catch((error: unknown) => {
      making = undefined;
      throw error;
    });
    return making;
  };
};

const templateName = ({ prefix }: ClusterConfig): string => `${indexNames(prefix).alias}-${mappingVersion}`;
