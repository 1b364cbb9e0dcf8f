import type { Server } from 'node:http';
import { announce, loadPeer } from './program.js';
import { ask, belowEach, byId, idsOf, type Row } from './statements.js';

/* Fastify and Mercurius with JIT and loaders over handwritten SQL, without authentication and permissions. */

const schema = `
  type Organization { id: ID! name: String username: String! }
  type Product { id: ID! name: String! version: String! deviceCount: Int! }
  type Application { id: ID! name: String! slug: String! deviceCount: Int! devices(limit: Int!): [Device!]! }
  type Device { id: ID! serial: String! name: String slug: String! tags: [String!]! createdAt: String!
    product: Product applications: [Application!]! }
  type User { id: ID! username: String! }
  type Team { id: ID! name: String! members: [User!]! }
  type Query {
    organization(organizationId: ID!): Organization
    device(organizationId: ID!, deviceId: ID!): Device
    devices(organizationId: ID!, limit: Int!): [Device!]!
    deviceTotal(organizationId: ID!): Int!
    products(organizationId: ID!, limit: Int!): [Product!]!
    applications(organizationId: ID!, limit: Int!): [Application!]!
    teams(organizationId: ID!, limit: Int!): [Team!]!
  }`;

interface Args {
  organizationId: string;
  deviceId: string;
  limit: number;
}

type Below = readonly { obj: Row; params: Args }[];
const parents = (queries: Below) => queries.map(({ obj }) => obj);

/** Creates a loader that returns the child rows of each parent. */
const listLoader =
  (rowsOf: (ids: unknown[], queries: Below) => Promise<Row[]>) =>
  async (queries: Below): Promise<Row[][]> => {
    const find = belowEach(await rowsOf(idsOf(parents(queries)), queries));
    return queries.map(({ obj }) => find(obj['id']));
  };

/** Creates a loader that returns a number for each parent. */
const totalLoader =
  (rowsOf: (ids: unknown[]) => Promise<Row[]>) =>
  async (queries: Below): Promise<unknown[]> => {
    const find = belowEach(await rowsOf(idsOf(parents(queries))));
    return queries.map(({ obj }) => find(obj['id'])[0]?.['total'] ?? 0);
  };

const resolvers = {
  Query: {
    organization: async (_: unknown, { organizationId }: Args) => (await ask('organization', organizationId))[0],
    device: async (_: unknown, { organizationId, deviceId }: Args) =>
      (await ask('device', organizationId, deviceId))[0],
    devices: (_: unknown, { organizationId, limit }: Args) => ask('devices', organizationId, limit),
    deviceTotal: async (_: unknown, { organizationId }: Args) =>
      (await ask('deviceTotal', organizationId))[0]?.['total'],
    products: (_: unknown, { organizationId, limit }: Args) => ask('products', organizationId, limit),
    applications: (_: unknown, { organizationId, limit }: Args) => ask('applications', organizationId, limit),
    teams: (_: unknown, { organizationId, limit }: Args) => ask('teams', organizationId, limit),
  },
};

const loaders = {
  Device: {
    product: async (queries: Below) => {
      const find = byId(await ask('productsById', idsOf(parents(queries), 'productId')));
      return queries.map(({ obj }) => find(obj['productId']));
    },
    applications: listLoader((ids) => ask('applicationsOfDevices', ids)),
  },
  Product: { deviceCount: totalLoader((ids) => ask('deviceCounts', ids)) },
  Application: {
    deviceCount: totalLoader((ids) => ask('deviceTotals', ids)),
    devices: listLoader((ids, [first]) => ask('devicesOfApplications', ids, first?.params.limit)),
  },
  Team: { members: listLoader((ids) => ask('membersOfTeams', ids)) },
};

interface Fastify {
  register(plugin: unknown, options: object): unknown;
  ready(): Promise<unknown>;
  server: Server;
}

const { default: fastify } = await loadPeer<{ default: () => Fastify }>('fastify');
const { default: mercurius } = await loadPeer<{ default: unknown }>('mercurius');
const app = fastify();
app.register(mercurius, { schema, resolvers, loaders, jit: 1 });
await app.ready();
announce(app.server);
