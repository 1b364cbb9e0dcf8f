import type { Devices } from '../../answer/device.js';
import { loadDevices, loadDevicesOfAnyTime, noDevices } from '../../postgres/search/hits/device.js';
import type { Rows } from '../../postgres/search/snapshot-reader.js';
import type { EngineHit } from '../engine.js';
import type { CallWork } from './work.js';

/** Devices up to so many are read before it is known that there are hits of them. */
const maxExpected = 64;

/**
 * Begins to read the devices that queries are about, so that they are there when the cluster has answered. Undefined where
 * they are many, or cannot be read: they are asked for by hits then.
 */
export const expectDevices = (
  rows: Rows,
  ofQueries: readonly (readonly string[])[],
): Promise<Devices | undefined> | undefined => {
  if (ofQueries.some(({ length }) => length > maxExpected)) return undefined;
  const deviceIds = [...new Set(ofQueries.flat())];
  if (deviceIds.length === 0 || deviceIds.length > maxExpected) return undefined;
  return loadDevicesOfAnyTime(rows, deviceIds).catch(() => undefined);
};

/** The devices of hits: those that were expected, unless something of the hits is not among them. */
export const devicesOfHits = async (
  hits: readonly EngineHit[],
  expected: Promise<Devices | undefined> | undefined,
  { reading, options: { timeoutMs } }: CallWork,
): Promise<Devices> => {
  if (hits.length === 0) return noDevices;
  const idsOf = (name: string) => hits.flatMap(({ fields }) => (fields?.[name]?.[0] as string | undefined) ?? []);
  const [deviceIds, productIds] = [idsOf('d'), idsOf('p')];
  const found = await expected;
  if (found && deviceIds.every((id) => found.devices.has(id)) && productIds.every((id) => found.owners.has(id)))
    return found;
  return reading((snapshot) => snapshot.run(timeoutMs, ({ rows }) => loadDevices(rows, deviceIds, productIds)));
};
