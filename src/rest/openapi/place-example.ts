import { createdAt, organizationId, serial, siteId, updatedAt } from './example-id.js';

/** Examples of answers about sites and groups of devices, by type. */
export const placeExamples = {
  Site: {
    id: siteId,
    organizationId,
    path: [siteId],
    name: 'Building 2',
    kind: 'building',
    location: { lat: 59.8586, lon: 17.6389 },
    timeZone: 'Europe/Stockholm',
    createdAt,
    updatedAt,
  },
  DeviceSite: { siteId, startedAt: createdAt },
  GroupSeries: {
    others: false,
    unit: '°C',
    ts: [1_794_900_000],
    values: [21.5],
    lowest: [],
    highest: [],
    devices: [1],
    expected: [1],
    filled: [0],
    bridged: [0],
  },
};

/** Examples of bodies about sites and groups of devices, by operation. */
export const placeBodies = {
  moveDevices: { siteId, serials: [serial] },
  groupSeries: {
    over: { devices: {} },
    variable: 'temperature',
    from: 1_794_900_000,
    to: 1_795_000_001,
    points: 100,
    combine: 'avg',
  },
};
