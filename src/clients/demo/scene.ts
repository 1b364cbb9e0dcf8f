import type { Api } from './api.js';
import { deleteNamed, findNamed, isNamedAs, type Named } from './leftover.js';

/** Identifiers of what the demonstration created. */
export interface Scene {
  organizationId: string;
  productId: string;
  deviceId: string;
  applicationId: string;
  hookId: string;
}

/** Names by which a later run recognizes what an earlier one left. */
const names = { product: 'Demo weather station', device: 'Demo station', application: 'Demo weather' };

/** The data stream of the stations' frames: port 2, tagged values. */
export const streamId = 2;

const mapped = (varNumber: number) => [{ streamId, streamType: 'BIN', varNumber }];

const variables = [
  { name: 'temperature', unit: '°C', type: 'FLOAT32', mappings: mapped(1) },
  { name: 'humidity', unit: '%', type: 'UINT8', mappings: mapped(2) },
  { name: 'occupied', type: 'BOOL', mappings: mapped(3) },
  { name: 'luminosity', unit: 'lx', type: 'FLOAT32', mappings: mapped(4) },
];

/** Unlinks and deletes what an earlier run left. */
export async function clearScene(api: Api, organizationId: string, serial: string): Promise<void> {
  const left = [
    ['applications', names.application],
    ['devices', names.device],
    ['products', names.product],
  ] as const;
  for (const [kind, name] of left) await deleteNamed(api, organizationId, kind, name, isNamedAs({ name }));
  const others = await findNamed(api, organizationId, 'devices', serial, (device) => device.serial === serial);
  if (others.length > 0)
    throw new Error(
      `The organization has a device with the demonstration's serial ${serial} that the demonstration did not register.`,
    );
}

/** Creates a product with mapped variables, a device of it, an application with the device, and a hook. */
export async function buildScene(api: Api, organizationId: string, serial: string, hookUrl: string): Promise<Scene> {
  const organization = `/organizations/${organizationId}`;
  const create = (path: string, body: object) => api.call<Named>('POST', path, body);
  const product = await create(`${organization}/products`, { name: names.product, version: '1.0', variables });
  const device = await create(`${organization}/devices/${serial}`, {
    name: names.device,
    product: { id: product.id, organizationId },
    location: { lat: 37.971_555, lon: 23.726_788 },
  });
  const application = await create(`${organization}/applications`, { name: names.application });
  const path = `/applications/${organizationId}/${application.id}`;
  await api.call('PUT', `${path}/devices/${device.id}`);
  const hook = await create(`${path}/hooks`, {
    url: hookUrl,
    authentication: { basic: { user: 'demo', pass: 'a secret of the receiver' } },
  });
  return {
    organizationId,
    productId: product.id,
    deviceId: device.id,
    applicationId: application.id,
    hookId: hook.id,
  };
}
