import { type Handle, nodeName } from './call.js';

/**
 * The version that the interface claims. Clients from 7.14 on check the header `X-Elastic-Product`, and those of 8 and
 * 9 check only that; older ones check the tagline. Clients of 7.17, 8 and 9 are all built to talk to 8.19.
 */
export const elasticsearchVersion = '8.19.0';

const counts = { total: 1, successful: 1, failed: 0 } as const;

/** `GET /`, the first request of clients. */
export const info: Handle = async ({ load }) => {
  const { id, name } = await load();
  return {
    body: {
      name,
      cluster_name: id,
      cluster_uuid: id,
      version: {
        // Grafana's OpenSearch plugin refuses versions from 7.11 on of any other distribution; no other client reads it.
        distribution: 'opensearch',
        number: elasticsearchVersion,
        build_flavor: 'default',
        build_type: 'tar',
        build_hash: 'unknown',
        build_date: '2025-07-01T00:00:00.000Z',
        build_snapshot: false,
        lucene_version: '9.12.2',
        minimum_wire_compatibility_version: '7.17.0',
        minimum_index_compatibility_version: '7.0.0',
      },
      tagline: 'You Know, for Search',
    },
  };
};

/** `GET /_cluster/health`. It is always green, whatever the request waits for. */
export const health: Handle = async ({ load }) => {
  const { id } = await load();
  return {
    body: {
      cluster_name: id,
      status: 'green',
      timed_out: false,
      number_of_nodes: 1,
      number_of_data_nodes: 1,
      active_primary_shards: 1,
      active_shards: 1,
      relocating_shards: 0,
      initializing_shards: 0,
      unassigned_shards: 0,
      delayed_unassigned_shards: 0,
      number_of_pending_tasks: 0,
      number_of_in_flight_fetch: 0,
      task_max_waiting_in_queue_millis: 0,
      active_shards_percent_as_number: 100,
    },
  };
};

/** `GET /_cluster/settings`, which is always empty. */
export const clusterSettings: Handle = async ({ load }) => {
  await load();
  return { body: { persistent: {}, transient: {}, defaults: {} } };
};

/** `GET /_nodes`: one node without an address, because only the application's own address serves requests. */
export const nodes: Handle = async ({ load }) => {
  const { id, name } = await load();
  const node = {
    name,
    version: elasticsearchVersion,
    build_flavor: 'default',
    build_type: 'tar',
    roles: ['data', 'ingest', 'master'],
  };
  return { body: { _nodes: counts, cluster_name: id, nodes: { [nodeName]: node } } };
};

/** `GET /_license`: a license without expiry. */
export const license: Handle = async ({ load }) => {
  const { id } = await load();
  return { body: { license: { status: 'active', uid: id, type: 'basic', issued_to: id, issuer: 'elasticsearch' } } };
};

/** `GET /_xpack`: all features are off. */
export const features: Handle = async ({ load }) => {
  const { id } = await load();
  const off = { available: false, enabled: false };
  return {
    body: {
      build: { hash: 'unknown', date: '2025-07-01T00:00:00.000Z' },
      license: { uid: id, type: 'basic', mode: 'basic', status: 'active' },
      features: { esql: off, eql: off, graph: off, ilm: off, ml: off, monitoring: off, security: off, sql: off },
      tagline: 'You know, for X',
    },
  };
};
