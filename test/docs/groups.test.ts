import { beforeAll, expect } from '@jest/globals';
import { type Run, testGuide, useGuide } from './guide.js';

const guide = useGuide();
let dashboard: string;

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
  dashboard = await make('applications', { name: 'Campus', hasDashboard: true });
  guide.variables.set('SITE', siteId).set('PRODUCT', productId).set('DEVICE', deviceId);
});

/** Saves the document that the page shows. */
const save: Run = async ({ text }) => {
  const { id, token } = guide.first;
  const query =
    'mutation ($o: ID!, $a: ID!, $document: JSON!) { updateDashboard(organizationId: $o, applicationId: $a, version: 0, document: $document) { version } }';
  const response = await fetch(`${guide.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { o: id, a: dashboard, document: JSON.parse(text) as unknown } }),
  });
  const answer = await response.json();
  expect(answer).toEqual({ data: { updateDashboard: { version: 1 } } });
  return JSON.stringify(answer);
};

testGuide('docs/groups.md', { runs: { 'json document': save } }, guide);
