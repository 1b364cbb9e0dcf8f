import { alertExamples } from './alert-example.js';
import { auditExamples, auditParameters } from './audit-example.js';
import { commandExamples } from './command-example.js';
import {
  alertRuleId,
  applicationHookId,
  applicationId,
  commandId,
  createdAt,
  deliveryId,
  deviceId,
  importId,
  jobId,
  networkServerId,
  organizationId,
  productId,
  provisioningTokenId,
  serial,
  siteId,
  teamId,
  tokenId,
  updatedAt,
  userId,
} from './example-id.js';
import { fileImport } from './import-example.js';
import { placeExamples } from './place-example.js';

/* All examples share one world: an organization with a member, a team, a product, a device, an application and a
   hook. Request bodies are taken from the objects that they create, so that each example request leads to the
   example answer. */

const avatarURL = (id: string) => `https://ddp.example/avatars/${id}.svg`;

const teamMember = { id: userId, username: 'ada', type: 'user', avatarURL: avatarURL(userId) };
const user = { ...teamMember, name: 'Ada Byron' };
const account = {
  id: organizationId,
  username: 'waterworks',
  name: 'Waterworks of Uppsala',
  email: 'office@waterworks.example',
  type: 'organization',
  avatarURL: avatarURL(organizationId),
  disabled: false,
  createdAt,
  updatedAt,
};
const teamItem = {
  id: teamId,
  organizationId,
  name: 'Field Ops',
  slug: 'field-ops',
  description: 'Those who visit the pumps.',
};
const applicationItem = {
  id: applicationId,
  organizationId,
  name: 'Pumps',
  slug: 'pumps',
  description: 'All pumps of the north side.',
  permission: 'write',
};
const publicProduct = {
  id: productId,
  organizationId,
  name: 'Pump sensor',
  slug: 'pump-sensor',
  version: '1.0',
  public: false,
};
const deviceItem = {
  id: deviceId,
  organizationId,
  serial,
  name: 'Pump 7',
  slug: 'pump-7',
  tags: ['north'],
  product: { id: productId, organizationId },
  applicationCount: 1,
};
const hook = {
  id: applicationHookId,
  url: 'https://receiver.example/records',
  application: { id: applicationId, organizationId },
  authentication: { header: { name: 'Authorization', value: 'Bearer 3c9d' } },
  allowUnverifiedSSLCert: false,
  disabled: false,
  createdAt,
  updatedAt,
};
/** A record as a device posts it. */
export const record = {
  ts: 1_795_000_000.25,
  metadata: { rssi: -90, snr: 7.5, provider: 'lora' },
  data: { temperature: 21.5 },
};
const location = { lat: 59.8586, lon: 17.6389 };
const delivery = {
  id: deliveryId,
  applicationHookId,
  deviceId,
  application: { id: applicationId, organizationId },
  ts: record.ts,
  maxNumberAttempts: 10,
  attemptsMade: 1,
  successful: true,
  createdAt,
  updatedAt,
  request: {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-event': 'record', 'x-service-delivery-id': deliveryId },
    uri: {
      href: hook.url,
      path: '/records',
      pathname: '/records',
      query: null,
      search: null,
      hash: null,
      hostname: 'receiver.example',
      port: null,
      host: 'receiver.example',
      auth: null,
      slashes: true,
      protocol: 'https:',
    },
    payload: {
      record,
      device: { id: deviceId, serial, organizationId, product: deviceItem.product, location },
      application: hook.application,
    },
  },
  response: { statusCode: 200, headers: { 'content-type': 'application/json' }, body: { ok: true } },
};

/** Example of each type, by its name in the graph. */
export const typeExamples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  Account: account,
  Organization: { ...account, memberCount: 3, role: 'owner' },
  User: user,
  OrganizationMember: { ...user, role: 'member' },
  TeamMemberListItem: teamMember,
  TeamListItem: teamItem,
  Team: { ...teamItem, createdAt, updatedAt },
  ApplicationListItem: applicationItem,
  Application: { ...applicationItem, hasDashboard: true, createdAt, updatedAt },
  PublicProductListItem: publicProduct,
  ProductListItem: { ...publicProduct, deviceCount: 1 },
  Product: {
    ...publicProduct,
    deviceCount: 1,
    variables: [
      {
        name: 'temperature',
        unit: '°C',
        type: 'FLOAT32',
        mappings: [{ streamId: 1, streamType: 'BIN', varNumber: 1 }],
      },
    ],
    createdAt,
    updatedAt,
  },
  DeviceListItem: deviceItem,
  Device: { ...deviceItem, location, createdAt, updatedAt },
  HookListItem: { id: hook.id, url: hook.url },
  Hook: hook,
  DeliveryListItem: delivery,
  Delivery: {
    ...delivery,
    attempts: [{ at: createdAt, duration: { connect: 12, wait: 30, read: 1, total: 43 }, statusCode: 200 }],
  },
  SearchAnswer: {
    took: 2,
    responses: [
      {
        took: 2,
        timed_out: false,
        status: 200,
        hits: { total: { value: 0, relation: 'eq' }, max_score: null, hits: [] },
      },
    ],
  },
  HookSettings: {
    concurrency: 8,
    maxPerSecond: 50,
    ordered: false,
    events: ['record', 'alert.opened', 'alert.closed'],
    signed: true,
    basicReplacedByHeader: false,
    circuit: 'closed',
    failuresInRow: 0,
    filter: { products: [productId], tags: ['north'], query: { range: { 'data.temperature': { gte: 20 } } } },
  },
  ...alertExamples,
  ...auditExamples,
  ...commandExamples,
  Job: {
    id: jobId,
    kind: 'replay',
    state: 'running',
    done: 1200,
    total: 5000,
    changed: 1150,
    createdAt,
    updatedAt,
  },
  FileImport: fileImport,
  ...placeExamples,
  Attributes: { attributes: [{ name: 'offset', value: -0.4, validFrom: 1_794_900_000 }] },
  IngestAnswer: { accepted: 1, duplicates: 0, rejected: 0, results: [] },
};

/** Example of each argument that is not a field of its operation's answer, by name. */
export const argumentExamples: Readonly<Record<string, unknown>> = {
  organizationId,
  memberId: userId,
  teamId,
  productId,
  deviceId,
  deviceSerial: serial,
  serial,
  applicationId,
  applicationHookId,
  deliveryId,
  jobId,
  tokenId,
  provisioningTokenId,
  name: 'offset',
  deviceLimit: 1000,
  expiresAt: '2036-01-01T00:00:00.000Z',
  importId,
  alertRuleId,
  siteId,
  networkServerId,
  commandId,
  ...auditParameters,
  limit: 10,
  page: 1,
  sort: '-createdAt,name',
  q: '^pump',
  ids: [applicationId],
  hasProduct: true,
  role: 'member',
  permission: 'read',
  verbose: true,
  event: 'up',
  idempotencyKey: 'b7e2c1',
  downlinkPush:
    'https://eu1.cloud.thethings.network/api/v3/as/applications/pumps/webhooks/ddp/devices/pump-7/down/push',
  downlinkApiKey: 'NNSXS.EXAMPLE',
  streamId: 1,
  streamType: 'BIN',
  payload: '0441AC0000',
  encoding: 'hex',
  by: 'organization',
  fromDay: '2026-11-01',
  toDay: '2026-11-30',
  state: 'failed',
  from: 1_794_900_000,
  to: 1_795_000_001,
};
