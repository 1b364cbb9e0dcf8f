import { createServer } from 'node:http';
import { announce } from './program.js';
import { ask, belowEach, byId, idsOf, type Row } from './statements.js';

/* Handwritten answers to the documents: node:http, pg and JSON, without GraphQL, authentication and permissions. */

/** Devices with product and applications, by three statements. */
const nested = async (devices: readonly Row[]) => {
  const [products, applications] = await Promise.all([
    ask('productsById', idsOf(devices, 'productId')),
    ask('applicationsOfDevices', idsOf(devices)),
  ]);
  const [productOf, applicationsOf] = [byId(products), belowEach(applications)];
  return devices.map(({ productId, ...device }) => ({
    ...device,
    product: productOf(productId),
    applications: applicationsOf(device['id']),
  }));
};

const fleet = async (organizationId: string) => {
  const [devices, [counted]] = await Promise.all([
    ask('devices', organizationId, 10),
    ask('deviceTotal', organizationId),
  ]);
  const productOf = byId(await ask('productsById', idsOf(devices, 'productId')));
  return { ...counted, items: devices.map((each) => ({ ...each, product: productOf(each['productId']) })) };
};

const applications = async (organizationId: string) => {
  const rows = await ask('applications', organizationId, 10);
  const [devices, totals] = await Promise.all([
    ask('devicesOfApplications', idsOf(rows), 3),
    ask('deviceTotals', idsOf(rows)),
  ]);
  const [devicesOf, totalsOf] = [belowEach(devices), belowEach(totals)];
  return rows.map((row) => ({ ...row, ...totalsOf(row['id'])[0], devices: devicesOf(row['id']) }));
};

const products = async (organizationId: string) => {
  const rows = await ask('products', organizationId, 10);
  const totalsOf = belowEach(await ask('deviceCounts', idsOf(rows)));
  return rows.map((row) => ({ ...row, ...totalsOf(row['id'])[0] }));
};

const teams = async (organizationId: string) => {
  const rows = await ask('teams', organizationId, 10);
  const membersOf = belowEach(await ask('membersOfTeams', idsOf(rows)));
  return rows.map((row) => ({ ...row, members: membersOf(row['id']) }));
};

const screens: Readonly<Record<string, (organizationId: string, id: string) => Promise<unknown>>> = {
  device: async (organizationId, id) => (await ask('device', organizationId, id))[0],
  nested: async (organizationId) => nested(await ask('devices', organizationId, 50)),
  dashboard: (organizationId, id) =>
    Promise.all([
      ask('organization', organizationId),
      ask('device', organizationId, id).then(nested),
      fleet(organizationId),
      applications(organizationId),
      products(organizationId),
      teams(organizationId),
    ]),
};

announce(
  createServer((request, response) => {
    const [, screen = '', organizationId = '', id = ''] = request.url!.split('/');
    screens[screen]!(organizationId, id).then(
      (answer) => {
        const body = JSON.stringify(answer);
        const head = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
        response.writeHead(200, head).end(body);
      },
      (error: unknown) => void response.writeHead(500).end(String(error)),
    );
  }),
);
