import type { AnswerDevices } from '#records/answer/device-answer.js';
import { loadDevices, loadDevicesOfAnyTime, noDevices } from '#records/postgres/search/hits/hit-device.js';
import type { Rows } from '#records/scope/snapshot-reader.js';
import type { EngineHit } from '../engine.js';
import type { CallWork } from './call-work.js';

/** Maximum number of devices that are read before it is known whether they have hits. */
const maxExpected = 64;

/**
 * Starts to read the devices of queries, so that they are available when the cluster answers. Undefined if there are
 * many; resolves to undefined if reading fails. In both cases, the devices of the hits are read afterwards.
 */
export const expectDevices = (
  rows: Rows,
  ofQueries: readonly (readonly string[])[],
): Promise<AnswerDevices | undefined> | undefined => {
  if (ofQueries.some(({ length }) => length > maxExpected)) return undefined;
  const deviceIds = [...new Set(ofQueries.flat())];
  if (deviceIds.length === 0 || deviceIds.length > maxExpected) return undefined;
  return loadDevicesOfAnyTime(rows, deviceIds).catch(() => undefined);
};

/** Returns the devices of hits: the expected ones if they cover all hits, otherwise those read now. */
export const devicesOfHits = async (
  hits: readonly EngineHit[],
  expected: Promise<AnswerDevices | undefined> | undefined,
  { reading, options: { timeoutMs } }: CallWork,
): Promise<AnswerDevices> => {
  if (hits.length === 0) return noDevices;
  const idsOf = (name: string) => hits.flatMap(({ fields }) => (fields?.[name]?.[0] as string | undefined) ?? []);
  const [deviceIds, productIds] = [idsOf('d'), idsOf('p')];
  const found = await expected;
  if (found && deviceIds.every((id) => found.devices.has(id)) && productIds.every((id) => found.owners.has(id)))
    return found;
  return reading((snapshot) => snapshot.run(timeoutMs, ({ rows }) => loadDevices(rows, deviceIds, productIds)));
};
