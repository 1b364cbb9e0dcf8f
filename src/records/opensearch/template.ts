import type { Client } from '@opensearch-project/opensearch';
import type { ClusterConfig } from '#config/cluster-setting.js';
import { indexNames, mappingVersion } from './indices.js';
import { noPlaces, type PlaceCounts, placeMappings, placeProperties } from './place-mapping.js';

/** Maximum number of fields of one index. With more, the state of the cluster grows too large. */
const maxFields = 10_000;

/** Fields of every record. Its measured values are in places, see {@link placeMappings}. */
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

/** Fallback for indices that were made while the template lacked places: a place is mapped by its first document. */
const dynamicTemplates = Object.entries(placeMappings).map(([family, mapping]) => ({
  [family]: { match: `${family}*`, mapping },
}));

/**
 * Creates or updates the template of the monthly indices. An index that is made afterwards has all these places.
 * @throws Error if the cluster has documents that a newer release wrote
 */
export const putTemplate = async (client: Client, config: ClusterConfig, counts: PlaceCounts): Promise<void> => {
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
      _meta: { places: counts },
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
          properties: { ...properties, ...placeProperties(counts) },
        },
        aliases: { [names.alias]: {} },
      },
    },
  } as never);
};

/** Returns the numbers of places in the template; undefined if the template is missing. */
export const readTemplate = async (client: Client, config: ClusterConfig): Promise<PlaceCounts | undefined> => {
  const { body } = await client.indices.getIndexTemplate(
    { name: templateName(config), filter_path: 'index_templates.name,index_templates.index_template._meta' } as never,
    { ignore: [404] },
  );
  type Listed = { index_template?: { _meta?: { places?: PlaceCounts } } };
  const { index_templates: listed = [] } = (body ?? {}) as { index_templates?: Listed[] };
  return listed[0] && (listed[0].index_template?._meta?.places ?? noPlaces);
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

const templateName = ({ prefix }: ClusterConfig): string => `${indexNames(prefix).alias}-${mappingVersion}`;
