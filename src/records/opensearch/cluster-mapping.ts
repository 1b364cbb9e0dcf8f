import { type Client, errors } from '@opensearch-project/opensearch';
import type { Pool, PoolClient } from 'pg';
import sql from 'sql-template-tag';
import type { ClusterConfig } from '#config/cluster-setting.js';
import { transaction } from '#database/transaction.js';
import { indexNames } from './indices.js';
import { covers, most, noPlaces, type PlaceCounts, placeProperties, wholeSteps } from './place-mapping.js';
import { putTemplate, readTemplate } from './template.js';

/**
 * Makes sure that the cluster has what documents need: the template, and every place in every index. An aggregation
 * over a place that one month's index lacks loses buckets of the others.
 */
export interface ClusterMapping {
  /**
   * Makes sure, once in this process, that the template and all assigned places exist.
   * @param isDoubtful whether the cluster may have lost them since the last call
   */
  ready(isDoubtful?: boolean): Promise<void>;
  /**
   * Maps places in all indices and in the template, unless this process knows that they are.
   * @param tx the transaction that assigns the places, so that no search sees them before they are mapped
   */
  mapPlaces(tx: PoolClient, counts: PlaceCounts): Promise<void>;
}

/** Called for each index that takes no mapping now. Its mapping is tried again with the next check of the template. */
export type ObserveRefusal = (index: string, reason: string) => void;

/** Creates the mapping of a service's indices. Only one process at a time changes it. */
export const createMapping = (
  client: Client,
  config: ClusterConfig,
  pool: Pool,
  observe: ObserveRefusal = () => undefined,
): ClusterMapping => {
  const names = indexNames(config.prefix);
  let making: Promise<void> | undefined;
  /** Places that are in every index. */
  let mapped = noPlaces;
  /** Whether an index refused the mapping. */
  let isPartial = false;

  const make = async (tx: PoolClient, wanted: PlaceCounts): Promise<void> => {
    await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`template ${config.prefix}`}, 0))`);
    const there = (await readTemplate(client, config)) ?? noPlaces;
    const counts = wholeSteps(most(most(there, wanted), await assignedPlaces(tx)));
    // The template comes first: an index that is made meanwhile has its places from there or is among all indices.
    await putTemplate(client, config, counts);
    const refusals = await mapInAll(client, names.all, placeProperties(counts));
    for (const [index, reason] of refusals) observe(index, reason);
    isPartial = refusals.length > 0;
    mapped = counts;
  };

  return {
    async ready(isDoubtful = false) {
      // Without the template the cluster would create indices with fields of its own choice. An older release that
      // starts beside this one writes a template without places.
      if (isDoubtful && making !== undefined) {
        await making;
        const there = await readTemplate(client, config);
        if (isPartial || there === undefined || !covers(there, mapped)) making = undefined;
      }
      making ??= transaction(pool, (tx) => make(tx, noPlaces)).catch((error: unknown) => {
        making = undefined;
        throw error;
      });
      return making;
    },
    async mapPlaces(tx, counts) {
      if (!covers(mapped, counts)) await make(tx, counts);
    },
  };
};

/** Returns the largest number of places of any organization. */
const assignedPlaces = async (tx: PoolClient): Promise<PlaceCounts> => {
  const { rows } = await tx.query<{ family: keyof PlaceCounts; places: number }>(
    sql`select left(field, 1) as family, max(substr(field, 2)::int) as places from index_place group by 1`,
  );
  return { ...noPlaces, ...Object.fromEntries(rows.map(({ family, places }) => [family, places])) };
};

/**
 * Maps fields in all indices. An index whose metadata nobody may change does not keep the others from it.
 * @returns refusals: names of indices, with reasons
 */
const mapInAll = async (client: Client, pattern: string, properties: object): Promise<[string, string][]> => {
  const put = (index: string) =>
    client.indices.putMapping({
      index,
      body: { properties },
      allow_no_indices: true,
      ignore_unavailable: true,
      timeout: '10s',
    } as never);
  try {
    await put(pattern);
    return [];
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  const { body } = await client.cat.indices({ index: pattern, format: 'json', h: ['index', 'status'] });
  const refusals: [string, string][] = [];
  for (const { index, status } of body as { index: string; status: string }[]) {
    if (status !== 'open') continue;
    try {
      await put(index);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusals.push([index, error.message]);
    }
  }
  return refusals;
};

const isRefusal = (error: unknown): error is errors.ResponseError =>
  error instanceof errors.ResponseError && [400, 403].includes(error.statusCode ?? 0);
