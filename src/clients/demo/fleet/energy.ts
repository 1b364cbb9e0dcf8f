import type { Api } from '#clients/demo/api.js';
import { energyMeter, energyOf, type FleetDevice } from './kind.js';

const daySeconds = 86_400;

/** Energy meters of two buildings, whose counters do what counters do. */
export const meters = { first: 41, count: 4, reset: 42, exchanged: 43, moved: 44 } as const;

/** Seconds before the end of the fleet's week at which each of these happens. */
const before = { reset: 3.4 * daySeconds, exchanged: 2.3 * daySeconds, moved: 3 * daySeconds } as const;

/** First reading of the new meter, in kilowatt-hours. */
const firstReading = 4711;

/**
 * Returns the reading of a meter at a time: one lost its count, and one was exchanged.
 * @param end end of the week.
 */
const readingOf = (number: number, at: number, end: number): number => {
  const since = (seconds: number) => energyOf(number, at) - energyOf(number, end - seconds);
  if (number === meters.reset && at > end - before.reset) return since(before.reset);
  if (number === meters.exchanged && at > end - before.exchanged) return firstReading + since(before.exchanged);
  return energyOf(number, at);
};

/** Days before the end of the fleet's week from which on meters have a reading an hour: this month has a last one. */
const historyDays = 63;

/**
 * Returns the records of the meters, one an hour, before a time (Unix seconds), the oldest first.
 * @param end end of the week.
 */
export const metersBefore = (to: number, end: number, devices: readonly FleetDevice[]) => {
  const hours = Math.floor((to - end) / 3600) + historyDays * 24;
  return Array.from({ length: hours }, (_, hour) => end - historyDays * daySeconds + hour * 3600).flatMap((ts) =>
    devices
      .filter(({ kind }) => kind === energyMeter)
      .map(({ number, serial }) => ({ serial, ts, ...sentByMeter(number, ts, end) })),
  );
};

/** Returns what a meter sends at a time. */
export const sentByMeter = (number: number, at: number, end: number) => ({
  data: { energy: Number(readingOf(number, at, end).toFixed(1)) },
});

/** Returns the meters as devices of one place. */
export const meterDevices = (serialPrefix: string): FleetDevice[] =>
  Array.from({ length: meters.count }, (_, index) => {
    const number = meters.first + index;
    return {
      number,
      serial: `${serialPrefix}00-00-00-${number.toString(16).padStart(2, '0')}`,
      name: `Energy meter ${index + 1}`,
      kind: energyMeter,
      tags: ['lyon', 'utility'],
      location: { lat: 45.75 + index * 0.002, lon: 4.85 },
    };
  });

/** Names of the buildings. */
export const buildings = [{ name: 'Demo building 1' }, { name: 'Demo building 2' }] as const;

const countEnergy = `mutation ($o: ID!, $p: ID!) {
  putProductSettings(organizationId: $o, productId: $p, settings: { variables: [{ name: "energy", counter: {} }] }) { id } }`;

const exchange = `mutation ($o: ID!, $d: ID!, $ts: UnixTime!) {
  declareMeterExchange(organizationId: $o, deviceId: $d, variable: "energy", ts: $ts, value: ${firstReading}) { id } }`;

/**
 * Makes two buildings, puts two meters into each, moves one, and says which meter was exchanged and that energy counts.
 * @param of identifiers of the organization, of the meters' product, and of devices by their number
 */
export async function furnishBuildings(
  api: Api,
  { organizationId, productId, devices }: { organizationId: string; productId: string; devices: Map<number, string> },
  end: number,
): Promise<void> {
  const organization = `/organizations/${organizationId}`;
  await api.graph(countEnergy, { o: organizationId, p: productId });
  const sites: string[] = [];
  for (const { name } of buildings)
    sites.push((await api.call<{ id: string }>('POST', `${organization}/sites`, { name, kind: 'building' })).id);
  const move = (site: number, numbers: readonly number[], ago: number) =>
    api.call('PUT', `${organization}/device-sites`, {
      siteId: sites[site],
      deviceIds: numbers.map((number) => devices.get(number)!),
      at: Math.floor(end - ago),
    });
  await move(0, [meters.first, meters.reset, meters.moved], (historyDays + 1) * daySeconds);
  await move(1, [meters.exchanged], (historyDays + 1) * daySeconds);
  await move(1, [meters.moved], before.moved);
  await api.graph(exchange, {
    o: organizationId,
    d: devices.get(meters.exchanged),
    ts: Math.floor(end - before.exchanged),
  });
}
