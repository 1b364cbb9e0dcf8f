import { beforeAll } from '@jest/globals';
import { testGuide, useGuide } from './guide.js';

const guide = useGuide();

beforeAll(async () => {
  const { id, token } = guide.first;
  const make = async (path: string, body: object): Promise<string> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const address = `${guide.url}/ddp/v1/organizations/${id}/${path}`;
    const answer = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
    return ((await answer.json()) as { id: string }).id;
  };
  const variables = [{ name: 'energy', type: 'FLOAT32', unit: 'kWh' }];
  const productId = await make('products', { name: 'Meter', version: '1', variables });
  const deviceId = await make('devices/a0-01', { product: { id: productId }, tags: ['meter'] });
  const siteId = await make('sites', { name: 'Campus' });
  guide.variables.set('SITE', siteId).set('PRODUCT', productId).set('DEVICE', deviceId);
});

testGuide('docs/groups.md', {}, guide);
