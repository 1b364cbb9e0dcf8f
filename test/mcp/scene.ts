import { hourSeconds } from '#common/time.js';
import type { AccountActor, World } from '../support/world.js';

/** An organization with a cold store: devices, records of last night, a rule, a hook and a command that waits. */
export interface ColdStore {
  owner: AccountActor;
  applicationId: string;
  productId: string;
  /** Identifiers of the devices by name. */
  devices: Record<string, string>;
  /** Start and end of last night, in Unix seconds. */
  night: { from: number; to: number };
}

/** The warmest value of each freezer last night, and whether the rule watches it. */
const freezers: Record<string, { warmest: number; tags: string[] }> = {
  'Freezer North': { warmest: -12, tags: ['watched'] },
  'Freezer South': { warmest: -13.5, tags: [] },
  'Freezer East': { warmest: -17, tags: ['watched'] },
};

/** Creates a cold store. Its rule watches the freezers with a tag, sends mails and calls a hook. */
export async function makeColdStore(world: World): Promise<ColdStore> {
  const owner = await world.organization();
  const at = `/organizations/${owner.id}`;
  const productId = await owner.make(`${at}/products`, {
    name: 'Cold room',
    version: '1',
    variables: [{ name: 'temperature', type: 'FLOAT32', unit: '°C' }],
  });
  const applicationId = await owner.make(`${at}/applications`, { name: 'Cold store' });
  const inside = `/applications/${owner.id}/${applicationId}`;
  await owner.make(`${inside}/alert-rules`, {
    name: 'Too warm',
    kind: 'threshold',
    severity: 'critical',
    tags: ['watched'],
    when: { all: [{ variable: 'temperature', operator: 'gt', value: -15 }] },
    recipients: ['night@cold.example'],
  });
  const hookId = await owner.make(`${inside}/hooks`, { url: 'http://127.0.0.1:9/a-secret-path', disabled: true });
  await owner.put(`${inside}/hooks/${hookId}/settings`, { events: ['alert.opened'] });
  const midnight = Math.floor(Date.now() / (24 * hourSeconds) / 1000) * 24 * hourSeconds;
  const night = { from: midnight - 2 * hourSeconds, to: midnight };
  const devices: Record<string, string> = {};
  const add = async (name: string, serial: string, tags: string[], values: readonly number[]) => {
    devices[name] = await owner.make(`${at}/devices/${serial}`, { name, tags, product: { id: productId } });
    await owner.put(`${inside}/devices/${devices[name]}`);
    const records = values.map((temperature, index) => ({
      serial,
      ts: night.from + 600 * (index + 1),
      data: { temperature },
    }));
    await owner.post(`${at}/records`, records);
  };
  for (const [index, [name, { warmest, tags }]] of Object.entries(freezers).entries())
    await add(name, `f0-0${index}`, tags, [-18, -18, warmest, -16, -18]);
  await add('Cooler', 'c0-01', ['watched-not'], [4, 4.5, 4]);
  await owner.make(`/devices/${owner.id}/${devices['Cooler']}/commands`, { name: 'raw', payload: '01' });
  return { owner, applicationId, productId, devices, night };
}
