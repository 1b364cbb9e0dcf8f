import { type Handle, nodeName } from './call.js';

/**
 * The version that is claimed. Clients of 7.14 and later look at the header `X-Elastic-Product`, those of 8 and 9 at
 * nothing else; older ones at the tagline. 8.19 is the release that clients of 7.17, 8 and 9 are all made to talk to.
 */
export const version = '8.19.0';

const counts = { total: 1, successful: 1, failed: 0 } as const;

/** `GET /`: what clients ask first. */
export const info: Handle = async ({ load }) => {
  const { id, name } = await load();
  return {
    body: {
      name,
      cluster_name: id,
      cluster_uuid: id,
      version: {
        number: version,
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

/** `GET /_cluster/health`: green, whatever is waited for. */
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

/** `GET /_cluster/settings`: there are none. */
export const clusterSettings: Handle = async ({ load }) => {
  await load();
  return { body: { persistent: {}, transient: {}, defaults: {} } };
};

/** `GET /_nodes`: one node without an address, since the address of the application is the only one that answers. */
export const nodes: Handle = async ({ load }) => {
  const { id, name } = await load();
  const node = { name, version, build_flavor: 'default', build_type: 'tar', roles: ['data', 'ingest', 'master'] };
  return { body: { _nodes: counts, cluster_name: id, nodes: { [nodeName]: node } } };
};

/** `GET /_license`: nothing expires. */
export const license: Handle = async ({ load }) => {
  const { id } = await load();
  return { body: { license: { status: 'active', uid: id, type: 'basic', issued_to: id, issuer: 'elasticsearch' } } };
};

/** `GET /_xpack`: none of these features is here. */
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
