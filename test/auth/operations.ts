import type { AccountActor } from '../support/world.js';

/** Arguments of an operation, by name. */
export type Values = Record<string, unknown>;

/**
 * Callers that may call an operation on a thing of their organization:
 * - `anyone`: whoever has a token, about themselves or the platform;
 * - `members`: the organization's members;
 * - `readers`: who can read the device or application;
 * - `writers`: who may change the application, or one of the device;
 * - `owners`: owners alone, and other members know that the thing exists;
 * - `ownersOfReadable`: owners alone, and other members know that it exists if they can read it;
 * - `ingesters`: owners and tokens that may only post records;
 * - `deviceIngesters`: these and the token of the device;
 * - `provisioners`: provisioning tokens alone.
 */
export type Access =
  | 'anyone'
  | 'members'
  | 'readers'
  | 'writers'
  | 'owners'
  | 'ownersOfReadable'
  | 'ingesters'
  | 'deviceIngesters'
  | 'provisioners';

/** The objects of one organization that the matrix calls operations on. */
export interface Things {
  owner: AccountActor;
  /** An application that the teams give access to, and a device linked to it. */
  applicationId: string;
  deviceId: string;
  serial: string;
  productId: string;
  teamId: string;
  memberId: string;
  hookId: string;
  alertRuleId: string;
  /** A command to the device. */
  commandId: string;
  /** The site of the device. */
  siteId: string;
  networkServerId: string;
  /** A user who is not a member. */
  userId: string;
  tokenId: string;
  deviceTokenId: string;
  provisioningTokenId: string;
  deliveryId: string;
  jobId: string;
  /** An import that has ended. */
  importId: string;
  /** Creates a session of the member in the organization. */
  newSession: () => Promise<string>;
  /** Returns a word that no earlier call returned. */
  fresh: () => string;
}

/**
 * A trial of an operation: the callers that may call it, and its arguments. The matrix calls `values` before each call.
 */
export interface Trial {
  access: Access;
  /** Whether callers with access get 409, because of the state of the objects. */
  conflicts?: true;
  values: (things: Things) => Values | Promise<Values>;
  /** Values that replace some of these, which the caller's own things refuse (422, 409) because of what is stored. */
  faulty?: (things: Things) => Values[];
}

const organization = ({ owner }: Things) => ({ organizationId: owner.id });
const team = (things: Things) => ({ ...organization(things), teamId: things.teamId });
const product = (things: Things) => ({ ...organization(things), productId: things.productId });
const device = (things: Things) => ({ ...organization(things), deviceId: things.deviceId });
const application = (things: Things) => ({ ...organization(things), applicationId: things.applicationId });
const hook = (things: Things) => ({ ...application(things), applicationHookId: things.hookId });

const lease = (things: Things) => ({ ...organization(things), leaseId: '019ab000-0000-7000-8000-000000000001' });
const alertRule = (things: Things) => ({ ...application(things), alertRuleId: things.alertRuleId });

const command = (things: Things) => ({ ...organization(things), commandId: things.commandId });
const site = (things: Things) => ({ ...organization(things), siteId: things.siteId });

const networkServer = (things: Things) => ({ ...organization(things), networkServerId: things.networkServerId });

const account = ({ fresh }: Things) => ({ username: fresh(), email: `${fresh()}@example.com` });
const variables = [{ name: 'temperature', type: 'FLOAT32' }];

/** Objects that the owner creates for one call, which changes or deletes them. */
const newTeam = ({ owner }: Things) => owner.make(`/organizations/${owner.id}/teams`, { name: 'Short-lived' });
const newProduct = ({ owner }: Things) =>
  owner.make(`/organizations/${owner.id}/products`, { name: 'Short-lived', version: '1', variables });

/** Creates an application to which the same teams have the same access. */
async function newApplication(things: Things, more: object = {}): Promise<string> {
  const id = await things.owner.make(`/organizations/${things.owner.id}/applications`, {
    name: 'Short-lived',
    ...more,
  });
  await shareAlike(things, id);
  return id;
}

/** Gives every team with access to the usual application the same permission on this one. */
async function shareAlike({ owner }: Things, applicationId: string): Promise<void> {
  const teams = await owner.get<{ id: string; name: string }[]>(`/organizations/${owner.id}/teams?limit=100`);
  for (const { id, name } of teams.body) {
    if (name !== 'read' && name !== 'write') continue;
    await owner.put(`/teams/${owner.id}/${id}/applications/${applicationId}`, { permission: name });
  }
}

/** Returns a time that this test run does not reach. */
export const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

const hex = ({ fresh }: Things) => Buffer.from(fresh()).toString('hex').slice(-32);

export const newDevice = (things: Things) =>
  things.owner.make(`/organizations/${things.owner.id}/devices/${hex(things)}`);

const newHook = (things: Things) =>
  things.owner.make(`/applications/${things.owner.id}/${things.applicationId}/hooks`, { url: 'http://127.0.0.1:9/' });

const silence = { name: 'Silent', kind: 'silence', silentFor: 3600 };

/** A rule that compares the variable of a product, which is a number, with a boolean. */
const mistyped = ({ productId }: Things) => [
  {
    kind: 'threshold',
    silentFor: undefined,
    products: [productId],
    when: { all: [{ variable: 'temperature', operator: 'eq', value: true }] },
  },
];

const longAgo = '2001-01-01T00:00:00Z';
const full = () => [{ tags: Array.from({ length: 50 }, (_, index) => `tag ${index}`) }];
const ofProduct = ({ productId }: Things) => [{ product: { id: productId } }];

const serverValues = ({ fresh }: Pick<Things, 'fresh'>) => ({
  name: 'Roof',
  address: 'http://127.0.0.1:9',
  application: fresh(),
  apiKey: 'NNSXS.KEY',
});

/** A network server, which does not answer. */
export const newNetworkServer = ({ owner, fresh }: Pick<Things, 'owner' | 'fresh'>) =>
  owner.make(`/organizations/${owner.id}/network-servers`, { kind: 'THE_THINGS_STACK', ...serverValues({ fresh }) });

/** An alert rule of the usual application. */
export const newAlertRule = ({ owner, applicationId }: Pick<Things, 'owner' | 'applicationId'>) =>
  owner.make(`/applications/${owner.id}/${applicationId}/alert-rules`, silence);

export const newSite = ({ owner }: Pick<Things, 'owner'>) =>
  owner.make(`/organizations/${owner.id}/sites`, { name: 'Short-lived' });

/** Creates a site and moves a device there. */
export async function newSiteOf({ owner, deviceId }: Pick<Things, 'owner' | 'deviceId'>): Promise<string> {
  const siteId = await newSite({ owner });
  await owner.put(`/organizations/${owner.id}/device-sites`, { deviceIds: [deviceId], siteId });
  return siteId;
}

/** Sends a command to the device. */
export const newCommandTo = ({ owner, deviceId }: Pick<Things, 'owner' | 'deviceId'>): Promise<string> =>
  owner.make(`/devices/${owner.id}/${deviceId}/commands`, { name: 'raw', payload: '01' });

/** Creates an import of a device that exists already. */
export async function newImport({ owner, serial }: Pick<Things, 'owner' | 'serial'>): Promise<string> {
  const at = `/organizations/${owner.id}/imports`;
  const headers = { 'content-type': 'text/csv' };
  const { body } = await owner.request<FileImport>('POST', `${at}/devices?dryRun=false`, {
    headers,
    body: `serial\n${serial}`,
  });
  let { id, state } = body;
  while (state === 'checking' || state === 'applying') state = (await owner.get<FileImport>(`${at}/${id}`)).body.state;
  return id;
}

/** Invites a person to the organization. */
export async function newInvitation({ owner, fresh }: Pick<Things, 'owner' | 'fresh'>): Promise<string> {
  const { body } = await owner.graph(
    'mutation ($id: ID!, $email: EmailAddress!) { createInvitation(organizationId: $id, email: $email) { invitation { id } } }',
    { id: owner.id, email: `${fresh()}@example.com` },
  );
  return body.data!['createInvitation'].invitation.id as string;
}

/** Creates a link to the dashboard of the usual application. */
export async function newLink({
  owner,
  applicationId,
}: Pick<Things, 'owner' | 'applicationId'>): Promise<{ id: string; token: string; url: string }> {
  const { body } = await owner.graph(
    `mutation ($o: ID!, $a: ID!) { createDashboardLink(organizationId: $o, applicationId: $a, name: "Wall") {
      token url link { id } } }`,
    { o: owner.id, a: applicationId },
  );
  const { token, url, link } = body.data!['createDashboardLink'];
  return { token, url, id: link.id as string };
}

interface FileImport {
  id: string;
  state: string;
}

const record = { serial: '000000ff', data: { temperature: 1 } };
const range = { gte: 0, lte: 2_000_000_000 };

const operationsWithoutConnections: Record<string, Trial> = {
  'Query.account': { access: 'anyone', values: () => ({}) },
  'Query.viewer': { access: 'anyone', values: () => ({}) },
  'Mutation.updateAccount': { access: 'anyone', values: account },
  'Query.accounts': { access: 'anyone', values: () => ({}) },

  'Query.mySessions': { access: 'anyone', values: () => ({}) },
  'Mutation.revokeMySessions': { access: 'anyone', values: () => ({ sessionIds: [] }) },
  'Query.sessions': { access: 'owners', values: organization },
  'Mutation.revokeSession': {
    access: 'owners',
    values: async (things) => ({ ...organization(things), sessionId: await things.newSession() }),
  },
  'Query.invitations': { access: 'owners', values: organization },
  'Mutation.createInvitation': {
    access: 'owners',
    values: (things) => ({ ...organization(things), email: `${things.fresh()}@example.com`, teamIds: [things.teamId] }),
  },
  'Mutation.resendInvitation': {
    access: 'owners',
    values: async (things) => ({ ...organization(things), invitationId: await newInvitation(things) }),
  },
  'Mutation.revokeInvitation': {
    access: 'owners',
    values: async (things) => ({ ...organization(things), invitationId: await newInvitation(things) }),
  },

  'Query.organization': { access: 'members', values: organization },
  'Mutation.updateOrganization': {
    access: 'owners',
    values: (things) => ({ ...organization(things), ...account(things) }),
  },
  'Mutation.setOrganizationTimeZone': {
    access: 'owners',
    values: (things) => ({ ...organization(things), timeZone: 'Europe/Berlin' }),
  },
  'Query.organizationMembers': { access: 'members', values: organization },
  'Mutation.setOrganizationMember': {
    access: 'owners',
    values: (things) => ({ ...organization(things), memberId: things.memberId, role: 'member' }),
  },
  'Mutation.removeOrganizationMember': {
    access: 'owners',
    values: (things) => ({ ...organization(things), memberId: things.userId }),
  },

  'Query.teams': { access: 'members', values: organization },
  'Mutation.createTeam': { access: 'owners', values: (things) => ({ ...organization(things), name: 'New' }) },
  'Query.team': { access: 'members', values: team },
  'Mutation.updateTeam': {
    access: 'owners',
    values: async (things) => ({ ...organization(things), teamId: await newTeam(things), name: 'Other' }),
  },
  'Mutation.deleteTeam': {
    access: 'owners',
    values: async (things) => ({ ...organization(things), teamId: await newTeam(things) }),
  },
  'Query.teamMembers': { access: 'members', values: team },
  'Mutation.addTeamMember': { access: 'owners', values: (things) => ({ ...team(things), memberId: things.memberId }) },
  'Mutation.removeTeamMember': {
    access: 'owners',
    values: (things) => ({ ...team(things), memberId: things.memberId }),
  },
  'Query.teamApplications': { access: 'members', values: team },
  'Mutation.setTeamApplication': {
    access: 'owners',
    values: async (things) => ({
      ...organization(things),
      teamId: await newTeam(things),
      applicationId: things.applicationId,
      permission: 'read',
    }),
  },
  'Mutation.removeTeamApplication': {
    access: 'owners',
    values: async (things) => ({
      ...organization(things),
      teamId: await newTeam(things),
      applicationId: things.applicationId,
    }),
  },

  'Query.publicProducts': { access: 'anyone', values: () => ({}) },
  'Query.products': { access: 'members', values: organization },
  'Mutation.createProduct': {
    access: 'owners',
    values: (things) => ({ ...organization(things), name: 'New', version: '1', variables }),
  },
  'Query.product': { access: 'members', values: product },
  'Mutation.updateProduct': {
    faulty: () => [{ variables: [...variables, ...variables] }],

    access: 'owners',
    values: (things) => ({ ...product(things), name: 'Other', version: '2', variables }),
  },
  'Mutation.putProductSettings': {
    faulty: () => [{ settings: { variables: [{ name: 'energy' }, { name: 'energy' }] } }],

    access: 'owners',
    values: (things) => ({ ...product(things), settings: { variables: [{ name: 'energy', counter: { jitter: 1 } }] } }),
  },
  'Mutation.deleteProduct': {
    access: 'owners',
    values: async (things) => ({ ...organization(things), productId: await newProduct(things) }),
  },

  'Query.devices': { access: 'members', values: organization },
  'Mutation.registerDevice': {
    faulty: ofProduct,

    access: 'owners',
    values: (things) => ({ ...organization(things), deviceSerial: hex(things) }),
  },
  'Query.device': { access: 'readers', values: device },
  'Query.deviceBySerial': {
    access: 'readers',
    values: (things) => ({ ...organization(things), deviceSerial: things.serial }),
  },
  'Query.node': { access: 'readers', values: ({ deviceId }) => ({ id: deviceId }) },
  // The query returns null for each object that the caller cannot see.
  'Query.nodes': { access: 'anyone', values: ({ deviceId }) => ({ ids: [deviceId] }) },
  'Mutation.updateDevice': {
    faulty: ofProduct,
    access: 'ownersOfReadable',
    values: (things) => ({ ...device(things), name: 'Other' }),
  },
  'Mutation.deleteDevice': { access: 'ownersOfReadable', conflicts: true, values: device },

  'Mutation.tagDevices': {
    faulty: full,

    access: 'owners',
    values: (things) => ({ ...organization(things), deviceIds: [things.deviceId], tags: ['seen'] }),
  },
  'Mutation.untagDevices': {
    access: 'owners',
    values: (things) => ({ ...organization(things), deviceIds: [things.deviceId], tags: ['seen'] }),
  },
  'Mutation.putProducts': {
    access: 'owners',
    values: (things) => ({
      ...organization(things),
      products: [{ externalId: things.fresh(), name: 'Put', version: '1', variables }],
    }),
  },
  'Mutation.putApplications': {
    access: 'owners',
    values: (things) => ({ ...organization(things), applications: [{ externalId: things.fresh(), name: 'Put' }] }),
  },
  'Mutation.putHooks': {
    access: 'writers',
    values: (things) => ({ ...application(things), hooks: [{ externalId: 'put', url: 'http://127.0.0.1:9/' }] }),
  },
  'Mutation.putAlertRules': {
    access: 'writers',
    values: (things) => ({
      ...application(things),
      alertRules: [{ externalId: 'put', name: 'Put', kind: 'silence', silentFor: 600 }],
    }),
  },
  'Mutation.putTeams': {
    access: 'owners',
    values: (things) => ({ ...organization(things), teams: [{ name: things.fresh() }] }),
  },
  'Mutation.putTeamMembers': {
    access: 'owners',
    values: (things) => ({ ...team(things), members: [{ memberId: things.memberId }] }),
  },
  'Mutation.putTeamApplications': {
    access: 'owners',
    values: async (things) => ({
      ...organization(things),
      teamId: await newTeam(things),
      applications: [{ applicationId: things.applicationId, permission: 'read' }],
    }),
  },
  'Mutation.putDevices': {
    access: 'owners',
    values: (things) => ({ ...organization(things), devices: [{ serial: hex(things) }] }),
  },
  'Mutation.deleteDevices': {
    access: 'owners',
    values: async (things) => ({ ...organization(things), deviceIds: [await newDevice(things)] }),
  },
  'Mutation.linkDevices': {
    access: 'writers',
    values: (things) => ({ ...application(things), deviceIds: [things.deviceId] }),
  },
  'Mutation.unlinkDevices': {
    access: 'writers',
    values: async (things) => {
      const applicationId = await newApplication(things);
      return { ...organization(things), applicationId, deviceIds: [things.deviceId] };
    },
  },

  'Query.applications': { access: 'members', values: organization },
  'Mutation.createApplication': { access: 'owners', values: (things) => ({ ...organization(things), name: 'New' }) },
  'Query.application': { access: 'readers', values: application },
  'Mutation.updateApplication': {
    access: 'writers',
    values: (things) => ({ ...application(things), name: 'Other', hasDashboard: true }),
  },
  'Mutation.deleteApplication': {
    access: 'ownersOfReadable',
    values: async (things) => ({ ...organization(things), applicationId: await newApplication(things) }),
  },
  'Mutation.leaseConfiguration': { access: 'owners', values: lease },
  'Mutation.endConfigurationLease': { access: 'owners', values: lease },
  'Mutation.updateDashboard': {
    faulty: () => [{ version: 7 }],

    access: 'writers',
    values: async (things) => ({
      ...organization(things),
      applicationId: await newApplication(things, { hasDashboard: true }),
      version: 0,
      document: { format: 1, range: '24h', variables: [], panels: [] },
    }),
  },
  'Query.suggestDashboard': { access: 'readers', values: application },
  'Mutation.createDashboardLink': {
    access: 'ownersOfReadable',
    values: (things) => ({ ...application(things), name: 'Lobby' }),
  },
  'Mutation.deleteDashboardLink': {
    access: 'ownersOfReadable',
    values: async (things) => ({ ...application(things), linkId: (await newLink(things)).id }),
  },
  'Query.search': {
    access: 'readers',
    values: (things) => ({ ...application(things), ts: range, queries: [{ products: [] }] }),
  },
  'Query.applicationDevices': { access: 'readers', values: application },
  'Mutation.addApplicationDevice': {
    access: 'writers',
    values: (things) => ({ ...application(things), deviceId: things.deviceId }),
  },
  'Mutation.removeApplicationDevice': {
    access: 'writers',
    values: async (things) => {
      const applicationId = await newApplication(things);
      return { ...organization(things), applicationId, deviceId: things.deviceId };
    },
  },

  'Query.applicationHooks': { access: 'writers', values: application },
  'Mutation.createApplicationHook': {
    access: 'writers',
    values: (things) => ({ ...application(things), url: 'http://127.0.0.1:9/' }),
  },
  'Query.applicationHook': { access: 'writers', values: hook },
  'Mutation.updateApplicationHook': {
    access: 'writers',
    values: (things) => ({ ...hook(things), url: 'http://127.0.0.1:9/' }),
  },
  'Mutation.deleteApplicationHook': {
    access: 'writers',
    values: async (things) => ({ ...application(things), applicationHookId: await newHook(things) }),
  },
  'Mutation.pingApplicationHook': { access: 'writers', values: hook },
  'Query.applicationHookDeliveries': { access: 'writers', values: hook },

  'Query.apiTokens': { access: 'owners', values: organization },
  'Mutation.createApiToken': { access: 'owners', values: organization },
  'Mutation.revokeApiToken': {
    access: 'owners',
    values: (things) => ({ ...organization(things), tokenId: things.tokenId }),
  },

  'Query.applicationExport': { access: 'readers', values: application },
  'Query.organizationExport': { access: 'members', values: organization },
  'Query.deviceTokens': { access: 'ownersOfReadable', values: device },
  'Mutation.createDeviceToken': {
    faulty: () => [{ expiresAt: longAgo }],
    access: 'ownersOfReadable',
    values: device,
  },
  'Mutation.revokeDeviceToken': {
    access: 'ownersOfReadable',
    values: (things) => ({ ...device(things), tokenId: things.deviceTokenId }),
  },
  'Query.usage': { access: 'owners', values: organization },
  'Query.auditEvents': { access: 'owners', values: organization },
  'Query.quota': { access: 'owners', values: organization },
  'Query.provisioningTokens': { access: 'owners', values: product },
  'Mutation.createProvisioningToken': {
    faulty: () => [{ expiresAt: longAgo }],

    access: 'owners',
    values: (things) => ({ ...product(things), deviceLimit: 10, expiresAt: inAnHour() }),
  },
  'Mutation.revokeProvisioningToken': {
    access: 'owners',
    values: (things) => ({ ...product(things), provisioningTokenId: things.provisioningTokenId }),
  },
  'Mutation.provisionDevice': { access: 'provisioners', values: (things) => ({ deviceSerial: hex(things) }) },
  'Mutation.ingestDeviceRecords': {
    access: 'deviceIngesters',
    values: (things) => ({ ...device(things), records: { data: { temperature: 1 } } }),
  },

  'Mutation.sendCommand': {
    access: 'writers',
    values: (things) => ({ ...device(things), name: 'raw', payload: '01' }),
    faulty: () => [{ payload: 'xyz' }, { name: 'unknown' }, { expiresAt: 1 }, { parameters: { a: 1 } }],
  },
  'Mutation.sendCommands': {
    access: 'writers',
    values: (things) => ({ ...organization(things), deviceIds: [things.deviceId], name: 'raw', payload: '01' }),
    faulty: () => [{ payload: 'xyz' }, { name: 'unknown' }, { expiresAt: 1 }, { deviceIds: null }],
  },
  'Query.commands': { access: 'members', values: organization },
  'Query.command': { access: 'readers', values: command },
  'Query.commandEvidence': { access: 'readers', values: command },
  'Mutation.cancelCommands': {
    access: 'writers',
    values: async (things) => ({ ...device(things), ids: [await newCommandTo(things)] }),
  },
  'Mutation.takeCommands': { access: 'deviceIngesters', values: device },
  'Mutation.answerCommand': {
    access: 'deviceIngesters',
    values: (things) => ({ ...device(things), commandId: things.commandId, result: { ok: true } }),
    faulty: () => [{ error: 'broken' }, { result: 'x'.repeat(5000) }],
  },
  'Query.deviceState': { access: 'readers', values: device },
  'Mutation.setDesiredState': {
    access: 'writers',
    values: (things) => ({ ...device(things), desired: { setPoint: 21.5 } }),
    faulty: () => [{ desired: { setPoint: [1] } }, { desired: { '': 1 } }],
  },
  'Mutation.reportState': {
    access: 'deviceIngesters',
    values: (things) => ({ ...device(things), reported: { setPoint: 21.5 } }),
    faulty: () => [{ reported: { setPoint: {} } }, { versions: { setPoint: 1.5 } }, { versions: { other: 1 } }],
  },

  'Query.applicationHookDelivery': {
    access: 'writers',
    values: (things) => ({ ...hook(things), deliveryId: things.deliveryId }),
  },

  'Query.applicationHookSettings': { access: 'writers', values: hook },
  'Mutation.updateApplicationHookSettings': { access: 'writers', values: hook },
  'Mutation.rotateApplicationHookSigningSecret': { access: 'writers', values: hook },
  'Mutation.removeApplicationHookSigningSecret': { access: 'writers', values: hook },
  'Query.applicationHookLedger': { access: 'writers', values: hook },
  'Mutation.redeliverApplicationHookDelivery': {
    access: 'writers',
    values: (things) => ({ ...hook(things), deliveryId: things.deliveryId }),
  },
  'Mutation.redeliverApplicationHook': { access: 'writers', values: hook },
  'Mutation.replayApplicationHook': { access: 'writers', values: hook },

  'Query.alertRules': { access: 'readers', values: application },
  'Query.alertRule': { access: 'readers', values: alertRule },
  'Mutation.createAlertRule': {
    faulty: mistyped,
    access: 'writers',
    values: (things) => ({ ...application(things), ...silence }),
  },
  'Mutation.updateAlertRule': {
    faulty: (things) => [{ kind: 'threshold' }, ...mistyped(things)],

    access: 'writers',
    values: (things) => ({ ...alertRule(things), name: 'Other' }),
  },
  'Mutation.deleteAlertRule': {
    access: 'writers',
    values: async (things) => ({ ...application(things), alertRuleId: await newAlertRule(things) }),
  },
  'Query.previewAlertRule': {
    faulty: mistyped,

    access: 'readers',
    values: (things) => ({ ...application(things), kind: 'silence', silentFor: 3600 }),
  },
  'Query.episodes': { access: 'readers', values: application },
  'Mutation.acknowledgeEpisodes': {
    faulty: () => [{ state: undefined }],

    access: 'readers',
    values: (things) => ({ ...application(things), state: 'open' }),
  },

  'Query.networkServers': { access: 'owners', values: organization },
  'Query.networkServer': { access: 'owners', values: networkServer },
  'Mutation.createNetworkServer': {
    access: 'owners',
    values: (things) => ({ ...organization(things), kind: 'CHIRPSTACK', ...serverValues(things) }),
  },
  'Mutation.updateNetworkServer': {
    faulty: () => [{ address: 'http://127.0.0.1:10', apiKey: undefined }],
    access: 'owners',
    values: (things) => ({ ...networkServer(things), ...serverValues(things) }),
  },
  'Mutation.deleteNetworkServer': {
    access: 'owners',
    values: async (things) => ({ ...organization(things), networkServerId: await newNetworkServer(things) }),
  },
  'Mutation.confirmNetworkServer': { access: 'owners', values: networkServer },
  'Mutation.testNetworkServer': { access: 'owners', values: networkServer },

  'Query.sites': { access: 'members', values: organization },
  'Query.site': { access: 'readers', values: site },
  'Query.siteDevices': { access: 'readers', values: site },
  'Query.deviceSites': { access: 'readers', values: device },
  'Mutation.createSite': {
    access: 'owners',
    values: (things) => ({ ...organization(things), name: 'New', parentId: things.siteId }),
  },
  'Mutation.updateSite': {
    faulty: ({ siteId }) => [{ parentId: siteId }],
    access: 'ownersOfReadable',
    values: (things) => ({ ...site(things), name: 'Other' }),
  },
  'Mutation.deleteSite': { access: 'ownersOfReadable', conflicts: true, values: site },
  'Mutation.putSites': {
    access: 'owners',
    values: (things) => ({ ...organization(things), sites: [{ externalId: things.fresh(), name: 'Put' }] }),
  },
  'Mutation.moveDevices': {
    faulty: () => [{ at: 2_000_000_000 }],
    access: 'owners',
    values: (things) => ({ ...site(things), deviceIds: [things.deviceId] }),
  },

  'Query.deviceLatest': { access: 'readers', values: device },
  'Query.applicationLatest': { access: 'readers', values: application },
  'Query.latest': { access: 'readers', values: application },
  'Query.groupSeries': {
    access: 'readers',
    values: (things) => ({
      ...organization(things),
      over: { applicationId: things.applicationId },
      variable: 'temperature',
    }),
    faulty: () => [{ over: {} }, { fill: 'previous' }, { interval: 60, points: 10 }],
  },
  'Query.deviceAttributes': { access: 'readers', values: device },
  'Mutation.setDeviceAttributes': {
    faulty: () => [
      {
        attributes: [
          { name: 'offset', value: 1, validFrom: 1 },
          { name: 'offset', value: 2, validFrom: 1 },
        ],
      },
    ],
    access: 'ownersOfReadable',
    values: (things) => ({ ...device(things), attributes: [{ name: 'offset', value: 0.5 }] }),
  },
  'Mutation.removeDeviceAttribute': {
    access: 'ownersOfReadable',
    values: (things) => ({ ...device(things), name: 'offset' }),
  },
  'Query.siteAttributes': { access: 'readers', values: site },
  'Mutation.setSiteAttributes': {
    faulty: () => [
      {
        attributes: [
          { name: 'area', value: 1, validFrom: 1 },
          { name: 'area', value: 2, validFrom: 1 },
        ],
      },
    ],
    access: 'ownersOfReadable',
    values: (things) => ({ ...site(things), attributes: [{ name: 'area', value: 1250 }] }),
  },
  'Mutation.removeSiteAttribute': {
    access: 'ownersOfReadable',
    values: (things) => ({ ...site(things), name: 'area' }),
  },
  'Mutation.declareMeterExchange': {
    access: 'ownersOfReadable',
    values: (things) => ({ ...device(things), variable: 'energy', ts: 1_700_000_000, value: 4711 }),
  },
  'Mutation.removeMeterExchange': {
    access: 'ownersOfReadable',
    values: (things) => ({ ...device(things), variable: 'energy', ts: 1_700_000_000 }),
  },
  'Query.series': { access: 'readers', values: (things) => ({ ...application(things), variables: ['temperature'] }) },
  'Mutation.importDevices': {
    access: 'owners',
    values: (things) => ({ ...organization(things), dryRun: false, file: `serial\n${hex(things)}` }),
  },
  'Mutation.importRecords': {
    access: 'owners',
    values: (things) => ({ ...organization(things), dryRun: false, file: `serial,ts\n${things.serial},1700000000` }),
  },
  'Query.fileImport': {
    access: 'owners',
    values: (things) => ({ ...organization(things), importId: things.importId }),
  },
  'Mutation.applyFileImport': {
    access: 'owners',
    conflicts: true,
    values: (things) => ({ ...organization(things), importId: things.importId }),
  },
  'Mutation.deleteFileImport': {
    access: 'owners',
    values: async (things) => ({ ...organization(things), importId: await newImport(things) }),
  },
  'Query.decodeFrame': {
    access: 'owners',
    values: (things) => ({ ...product(things), streamId: 1, streamType: 'BIN', payload: '00' }),
  },
  'Query.previewFormulas': {
    access: 'readers',
    values: (things) => ({
      ...product(things),
      deviceId: things.deviceId,
      derived: [{ name: 'half', type: 'FLOAT32', formula: 'temperature / 2' }],
    }),
  },
  'Mutation.redecodeProduct': { access: 'owners', values: product },
  'Mutation.recomputeProduct': {
    access: 'owners',
    values: (things) => ({ ...product(things), deviceIds: [things.deviceId] }),
  },
  'Query.job': { access: 'members', values: (things) => ({ ...organization(things), jobId: things.jobId }) },

  'Mutation.ingestTheThingsStack': {
    access: 'ingesters',
    values: (things) => ({
      ...organization(things),
      body: { end_device_ids: { dev_eui: things.serial }, uplink_message: { decoded_payload: { temperature: 1 } } },
    }),
  },
  'Mutation.ingestChirpStack': {
    access: 'ingesters',
    values: (things) => ({
      ...organization(things),
      body: { deviceInfo: { devEui: things.serial }, object: { temperature: 1 } },
    }),
  },
  'Mutation.ingestSigfox': {
    access: 'ingesters',
    values: (things) => ({ ...organization(things), body: { device: things.serial, data: '00' } }),
  },
  'Mutation.ingestThingsBoard': {
    access: 'ingesters',
    values: (things) => ({ ...organization(things), serial: things.serial, body: { temperature: 1 } }),
  },
  'Mutation.ingestRecords': { access: 'ingesters', values: (things) => ({ ...organization(things), records: record }) },

  'Subscription.recordReceived': { access: 'readers', values: application },
  'Subscription.deliveryUpdated': { access: 'writers', values: hook },
  'Subscription.episodeChanged': { access: 'readers', values: application },
  'Subscription.commandUpdated': {
    access: 'readers',
    values: (things) => ({ ...organization(things), deviceIds: [things.deviceId] }),
  },
  'Subscription.jobUpdated': { access: 'members', values: organization },
  'Subscription.deviceChanged': { access: 'readers', values: device },
};

/** Queries that return a page of nodes. Each has a connection for the same callers. */
const pages = [
  'auditEvents',
  'alertRules',
  'accounts',
  'apiTokens',
  'applicationDevices',
  'applicationHookDeliveries',
  'applicationHookLedger',
  'applicationHooks',
  'applications',
  'deviceTokens',
  'devices',
  'episodes',
  'commands',
  'invitations',
  'mySessions',
  'networkServers',
  'organizationMembers',
  'products',
  'provisioningTokens',
  'publicProducts',
  'sessions',
  'siteDevices',
  'sites',
  'teamApplications',
  'teamMembers',
  'teams',
];

/** Every operation of the graph. The test of the matrix fails when one is missing here. */
export const operations: Record<string, Trial> = {
  ...operationsWithoutConnections,
  ...Object.fromEntries(
    pages.map((page) => [`Query.${page}Connection`, operationsWithoutConnections[`Query.${page}`]!]),
  ),
};
