import type { Stage } from './stage.js';

/** The devices that records are posted for. */
export interface BenchFleet {
  serials: string[];
  productIds: string[];
  applicationId: string;
}

const usual: readonly { name: string; type: string }[] = [
  { name: 'temperature', type: 'FLOAT32' },
  { name: 'humidity', type: 'UINT8' },
  { name: 'pressure', type: 'FLOAT32' },
  { name: 'open', type: 'BOOL' },
  { name: 'status', type: 'TXT' },
];

/** Creates devices, with several products in turn, each linked to two applications without hooks. */
export async function furnish(stage: Stage, devices: number, products = 1, sent = usual): Promise<BenchFleet> {
  const { organizationId } = stage;
  const make = (path: string, body: object) => call(stage, 'POST', `/organizations/${organizationId}/${path}`, body);
  const variables = sent.map(({ name, type }) => ({ name, type }));
  const productIds: string[] = [];
  for (let index = 0; index < products; index++)
    productIds.push(await make('products', { name: `Bench ${index}`, version: '1', variables }));
  const applications = [await make('applications', { name: 'A' }), await make('applications', { name: 'B' })];
  const serials: string[] = [];
  for (let index = 0; index < devices; index++) {
    const serial = (0xb0000000 + index).toString(16);
    const device = await make(`devices/${serial}`, { product: { id: productIds[index % products] } });
    for (const id of applications) await call(stage, 'PUT', `/applications/${organizationId}/${id}/devices/${device}`);
    serials.push(serial);
  }
  return { serials, productIds, applicationId: applications[0]! };
}

let made = 0;

/** Returns a record in the form that devices send, from the last hour, with a unique key. */
export const nextItem = ({ serials }: Pick<BenchFleet, 'serials'>): object => {
  const index = made++;
  return {
    serial: serials[index % serials.length],
    ts: Math.round(Date.now() - (index % 3_600_000)) / 1000,
    key: `${index}`,
    metadata: { rssi: -60 - (index % 50), snr: (index % 20) / 2, provider: 'lora' },
    data: {
      temperature: 15 + (index % 170) / 10,
      humidity: 40 + (index % 50),
      pressure: 1000 + (index % 300) / 10,
      open: index % 2 === 0,
      status: index % 7 === 0 ? 'error' : 'ok',
    },
  };
};

const call = async (stage: Stage, method: string, path: string, body?: object): Promise<string> => {
  const response = await fetch(`${stage.base}${path}`, {
    method,
    headers: { authorization: `Bearer ${stage.token}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === '' ? '' : (JSON.parse(text) as { id: string }).id;
};
