import { beforeAll } from '@jest/globals';
import { testGuide, useGuide } from './guide.js';

const guide = useGuide();

beforeAll(async () => {
  const { id, token } = guide.first;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const make = async (path: string, body: object) => {
    const response = await fetch(`${guide.url}/ddp/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return ((await response.json()) as { id: string }).id;
  };
  const product = await make(`/organizations/${id}/products`, { name: 'Cooler', version: '1', variables: [] });
  guide.variables.set('PRODUCT', product);
  guide.variables.set('DEVICE', await make(`/organizations/${id}/devices/a0-01`, { product: { id: product } }));
});

testGuide('docs/commands.md', {}, guide);
