import type { Api } from '#clients/demo/api.js';
import { deleteNamed, isNamedAs, type Named } from '#clients/demo/leftover.js';
import { declareColdRooms } from './cold-room.js';
import { type FleetProducts, fleetDashboards } from './dashboard.js';
import { fleetDevices, serialPrefix } from './device.js';
import { buildings, furnishBuildings } from './energy.js';
import { kinds } from './kind.js';

const applications = [
  { name: 'Demo cold chain', description: 'Cold rooms of every site', kinds: [kinds.coldRoom] },
  {
    name: 'Demo buildings',
    description: 'Air, water and energy',
    kinds: [kinds.airStation, kinds.waterMeter, kinds.energyMeter],
  },
] as const;
const team = { name: 'Demo maintenance', description: 'Looks after what is silent' };

/** Identifiers of the fleet that later steps need. */
export interface FleetScene {
  organizationId: string;
  /** The applications in order: cold chain, buildings. */
  applicationIds: string[];
  /** Identifiers of the cold rooms by device number. */
  coldRooms: ReadonlyMap<number, string>;
}

/** Deletes the fleet with its records, applications and hooks. Returns the number of its devices. */
export async function removeFleet(api: Api, organizationId: string): Promise<number> {
  await deleteNamed(api, organizationId, 'applications', 'Demo', isNamedAs(...applications));
  const isOurs = ({ serial }: Named) => serial?.startsWith(serialPrefix) === true;
  const devices = await deleteNamed(api, organizationId, 'devices', serialPrefix, isOurs);
  await deleteNamed(api, organizationId, 'sites', 'Demo', isNamedAs(...buildings));
  const products = Object.values(kinds).map(({ product }) => product);
  await deleteNamed(api, organizationId, 'products', 'Demo', isNamedAs(...products));
  await deleteNamed(api, organizationId, 'teams', team.name, isNamedAs(team));
  return devices;
}

const saveDashboard = `mutation ($o: ID!, $a: ID!, $d: JSON!) {
  updateDashboard(organizationId: $o, applicationId: $a, version: 0, document: $d) { version } }`;

/**
 * Creates the products, the devices, the buildings, and the applications with their dashboards and devices of their
 * kinds.
 * @param end end of the fleet's week in Unix seconds
 */
export async function buildFleet(api: Api, organizationId: string, end: number): Promise<FleetScene> {
  const organization = `/organizations/${organizationId}`;
  const create = async (path: string, body: object) => (await api.call<Named>('POST', path, body)).id;
  const products = new Map<object, string>();
  for (const kind of Object.values(kinds)) products.set(kind, await create(`${organization}/products`, kind.product));
  const named = Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [name, products.get(kind)!]),
  ) as unknown as FleetProducts;
  const applicationIds: string[] = [];
  for (const { name, description } of applications)
    applicationIds.push(await create(`${organization}/applications`, { name, description, hasDashboard: true }));
  for (const [index, document] of fleetDashboards(named).entries())
    await api.graph(saveDashboard, { o: organizationId, a: applicationIds[index], d: document });
  const devices = new Map<number, string>();
  for (const { number, serial, name, tags, location, kind } of fleetDevices) {
    const product = { id: products.get(kind)!, organizationId };
    const id = await create(`${organization}/devices/${serial}`, { name, tags, location, product });
    devices.set(number, id);
    for (const [index, application] of applications.entries())
      if (application.kinds.some((one) => one === kind))
        await api.call('PUT', `/applications/${organizationId}/${applicationIds[index]}/devices/${id}`);
  }
  await declareColdRooms(api, organizationId, named.coldRoom);
  await furnishBuildings(api, { organizationId, productId: named.energyMeter, devices }, end);
  const teamId = await create(`${organization}/teams`, team);
  await api.call('PUT', `/teams/${organizationId}/${teamId}/applications/${applicationIds[0]}`, { permission: 'read' });
  const isColdRoom = ([number]: [number, string]) =>
    fleetDevices.some((device) => device.number === number && device.kind === kinds.coldRoom);
  return { organizationId, applicationIds, coldRooms: new Map([...devices].filter(isColdRoom)) };
}

/** Creates a hook on each application: one calls the receiver's working path, the other its failing path. */
export async function hookFleet(api: Api, scene: FleetScene, receiver: string): Promise<void> {
  for (const [index, path] of ['/records', '/failing'].entries())
    await api.call('POST', `/applications/${scene.organizationId}/${scene.applicationIds[index]}/hooks`, {
      url: new URL(path, receiver).href,
      authentication: { bearer: { value: 'a-secret-of-the-receiver' } },
    });
}

/** Whether the working hook is called with a device's records. It belongs to the first application. */
export const hasWorkingHook = (serial: string): boolean =>
  fleetDevices.some((device) => device.serial === serial && applications[0].kinds.some((kind) => kind === device.kind));
