import { setTimeout as delay } from 'node:timers/promises';
import { type Api, createApi, ServiceAway } from '#clients/demo/api.js';
import type { Tell } from '#clients/demo/demo.js';
import { openReceiver } from '#clients/demo/receiver.js';
import { ColdRooms } from './cold-room.js';
import { type FleetRecord, fleetDevices, isPlugged, recordsBetween, recordsOfTurn } from './device.js';
import { metersBefore } from './energy.js';
import { buildFleet, type FleetScene, hasWorkingHook, hookFleet, removeFleet } from './scene.js';

export interface FleetOptions {
  /** Returns the current time in milliseconds. */
  now: () => number;
  /** Ends the sending that continues after the week is stored. Absent: nothing is sent after the week. */
  until?: AbortSignal | undefined;
}

/** The created fleet. */
export interface FleetResult {
  devices: number;
  /** Number of records that were stored. */
  records: number;
  /** Number of calls of the working hook. */
  calls: number;
}

const weekSeconds = 7 * 86_400;
/**
 * The records of this last part of the week are sent after the hooks are created, so that the hooks are called with
 * them. Seconds.
 */
const hookedSeconds = 1800;
/** Maximum number of records per call. */
const maxRecords = 5000;

/**
 * Fills an organization with 44 devices of four products, two buildings, a week of records with gaps and two months of
 * energy meters, and two hooks of which one fails. An earlier fleet is removed first. With `until` the fleet continues to send, one record every two seconds.
 */
export async function runFleet(origin: string, token: string, tell: Tell, options: FleetOptions): Promise<FleetResult> {
  const api = createApi(origin, token);
  const { id: organizationId } = await api.call<{ id: string }>('GET', '/account');
  const end = Math.floor(options.now() / 1000);
  const receiver = await openReceiver((path) => (path === '/failing' ? 503 : 200));
  try {
    tell(`Organization ${organizationId}: removing an earlier fleet.`);
    await removeFleet(api, organizationId);
    tell(`Making four products, ${fleetDevices.length} devices, two buildings and two applications.`);
    const scene = await buildFleet(api, organizationId, end);
    tell('Posting a week of records, and two months of energy meters.');
    const begun = end - weekSeconds;
    let records = await post(api, organizationId, metersBefore(begun, end, fleetDevices));
    records += await post(api, organizationId, recordsBetween(begun, end - hookedSeconds, end));
    await hookFleet(api, scene, receiver.url);
    tell('Making two hooks, of which one fails, and posting the last half hour.');
    const last = recordsBetween(end - hookedSeconds, end, end);
    records += await post(api, organizationId, last);
    const calls = await receiver.calls(last.filter(({ serial }) => hasWorkingHook(serial)).length, 60_000);
    if (options.until) records += await sendOn(api, scene, end, options.until, tell);
    return { devices: fleetDevices.length, records, calls: calls.length };
  } finally {
    receiver.close();
  }
}

/** Removes the fleet and returns the number of its devices. */
export async function endFleet(origin: string, token: string): Promise<number> {
  const api = createApi(origin, token);
  const { id } = await api.call<{ id: string }>('GET', '/account');
  return removeFleet(api, id);
}

async function post(api: Api, organizationId: string, records: readonly FleetRecord[]): Promise<number> {
  let accepted = 0;
  for (let at = 0; at < records.length; at += maxRecords) {
    const part = records.slice(at, at + maxRecords);
    const stored = await api.call<{ accepted: number }>('POST', `/organizations/${organizationId}/records`, part);
    accepted += stored.accepted;
  }
  return accepted;
}

/** Sends the devices' current measurements, and lets cold rooms listen, one after the other, until it is stopped. */
async function sendOn(
  api: Api,
  { organizationId, coldRooms }: FleetScene,
  end: number,
  until: AbortSignal,
  tell: Tell,
): Promise<number> {
  const rooms = new ColdRooms(api, organizationId, coldRooms);
  tell('Sending a record every two seconds. Press Ctrl+C to stop.');
  let sent = 0;
  for (let turn = 0; !until.aborted; turn++) {
    try {
      const ts = end + turn * 2;
      sent += await post(api, organizationId, recordsOfTurn(turn, ts, end, rooms.setPoints));
      // Two of the rooms in each turn, so that all listen every 16 seconds.
      for (const number of rooms.numbers.filter((_, place) => place % 8 === turn % 8))
        if (isPlugged(number, ts, end)) await rooms.listen(number);
    } catch (error) {
      if (!(error instanceof ServiceAway)) throw error;
      tell(`${error.message} Going on with the next record.`);
    }
    await delay(2000, undefined, { signal: until }).catch(() => undefined);
  }
  return sent;
}
