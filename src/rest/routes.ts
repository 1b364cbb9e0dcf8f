import type { ImportFormat } from '#entities/file-import.js';

/** Verbs of operations. HEAD and OPTIONS are derived from them. */
export type Verb = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Options of a route that differs from the default. */
export interface RouteOptions {
  /** 204 for an operation without a result. A DELETE always answers 204. */
  status?: 204;
  /** Marks an operation with status 204 that answers 200 if its result is an object. */
  mayAnswer?: true;
  /** Another verb that does the same, for clients that cannot send a body with GET. */
  alias?: Verb;
  /**
   * Mapping of the body to arguments.
   * `fields` (the default): one argument per field.
   * `located`: the same, read by the parser that keeps positions and exact numbers, from the body or the query string.
   * `argument`: one argument takes the whole body; `lines` accepts NDJSON too, and `otherTypes` is the error message
   * for an unsupported media type.
   * `argument` with `files`: a file in one of these formats, which the operation reads as a stream.
   */
  body?:
    | 'fields'
    | 'located'
    | { argument: string; lines?: true; otherTypes?: string }
    | { argument: string; files: readonly `${ImportFormat}`[] };
  /** Arguments that arrive in a header: argument name to header name. */
  headers?: Readonly<Record<string, string>>;
  /**
   * Marks a route that posts records. It has its own rate limit and body limit, and accepts tokens that may only post
   * records.
   */
  ingest?: true;
  /**
   * Marks a route that may wait for long before it answers. It stands outside of the queue of requests, and has a budget
   * of its own. HEAD does nothing.
   */
  waits?: true;
  /** Marks an operation that answers with a streamed file. In GraphQL it returns the file's address. */
  file?: true;
}

/** One operation of the graph with its verb and path. */
export interface Route extends RouteOptions {
  /** Root type of the operation. */
  readonly root: 'Query' | 'Mutation';
  /** Name of the operation in the graph. */
  readonly operation: string;
  readonly verb: Verb;
  /** Path below the base path; parameters are written `:name`. */
  readonly path: string;
  /** Chapter of the documentation. */
  readonly tag: string;
}

type Row = readonly [verb: Verb, path: string, options?: RouteOptions];
type Name = `${Route['root']}.${string}`;

const organization = '/organizations/:organizationId';
const team = '/teams/:organizationId/:teamId';
const product = '/products/:organizationId/:productId';
const device = '/devices/:organizationId/:deviceId';
const command = `${organization}/commands/:commandId`;
const application = '/applications/:organizationId/:applicationId';
const site = '/sites/:organizationId/:siteId';
const networkServerAt = `${organization}/network-servers/:networkServerId`;
const fileImport = `${organization}/imports/:importId`;
const alertRule = `${application}/alert-rules/:alertRuleId`;
const hook = `${application}/hooks/:applicationHookId`;

/** Error messages for Protobuf, which these network servers can be configured to send. */
const chooseJson = {
  theThingsStack: 'Protobuf is not supported: in The Things Stack choose JSON as the format of the webhook.',
  chirpStack: 'Protobuf is not supported: in ChirpStack choose JSON as the payload encoding of the HTTP integration.',
};

/** The 46 operations in the order of the contract (docs/contract.md, section 14), then the additions. */
const chapters: Readonly<Record<string, Readonly<Record<Name, Row>>>> = {
  Accounts: {
    'Query.account': ['GET', '/account'],
    'Mutation.updateAccount': ['PUT', '/account'],
    'Query.accounts': ['GET', '/accounts'],
  },
  'Organization and members': {
    'Query.organization': ['GET', organization],
    'Mutation.updateOrganization': ['PUT', organization],
    'Query.organizationMembers': ['GET', `${organization}/members`],
    'Mutation.setOrganizationMember': ['PUT', `${organization}/members/:memberId`, { status: 204 }],
    'Mutation.removeOrganizationMember': ['DELETE', `${organization}/members/:memberId`],
  },
  Teams: {
    'Query.teams': ['GET', `${organization}/teams`],
    'Mutation.createTeam': ['POST', `${organization}/teams`],
    'Query.team': ['GET', team],
    'Mutation.updateTeam': ['PUT', team],
    'Mutation.deleteTeam': ['DELETE', team],
    'Query.teamMembers': ['GET', `${team}/members`],
    'Mutation.addTeamMember': ['PUT', `${team}/members/:memberId`, { status: 204 }],
    'Mutation.removeTeamMember': ['DELETE', `${team}/members/:memberId`],
    'Query.teamApplications': ['GET', `${team}/applications`],
    'Mutation.setTeamApplication': ['PUT', `${team}/applications/:applicationId`, { status: 204 }],
    'Mutation.removeTeamApplication': ['DELETE', `${team}/applications/:applicationId`],
  },
  Products: {
    'Query.publicProducts': ['GET', '/products'],
    'Query.products': ['GET', `${organization}/products`],
    'Mutation.createProduct': ['POST', `${organization}/products`],
    'Query.product': ['GET', product],
    'Mutation.updateProduct': ['PUT', product],
    'Mutation.deleteProduct': ['DELETE', product],
  },
  Devices: {
    'Query.devices': ['GET', `${organization}/devices`],
    'Mutation.registerDevice': ['POST', `${organization}/devices/:deviceSerial`],
    'Query.device': ['GET', device],
    'Mutation.updateDevice': ['PUT', device],
    'Mutation.deleteDevice': ['DELETE', device],
  },
  Applications: {
    'Query.applications': ['GET', `${organization}/applications`],
    'Mutation.createApplication': ['POST', `${organization}/applications`],
    'Query.application': ['GET', application],
    'Mutation.updateApplication': ['PUT', application],
    'Mutation.deleteApplication': ['DELETE', application],
    'Query.search': ['GET', `${application}/search`, { alias: 'POST', body: 'located' }],
    'Query.applicationDevices': ['GET', `${application}/devices`],
    'Mutation.addApplicationDevice': ['PUT', `${application}/devices/:deviceId`, { status: 204 }],
    'Mutation.removeApplicationDevice': ['DELETE', `${application}/devices/:deviceId`],
  },
  'Application hooks': {
    'Query.applicationHooks': ['GET', `${application}/hooks`],
    'Mutation.createApplicationHook': ['POST', `${application}/hooks`],
    'Query.applicationHook': ['GET', hook],
    'Mutation.updateApplicationHook': ['PUT', hook],
    'Mutation.deleteApplicationHook': ['DELETE', hook],
    'Mutation.pingApplicationHook': ['POST', `${hook}/ping`],
    'Query.applicationHookDeliveries': ['GET', `${hook}/deliveries`],
  },
  'Hook additions': {
    'Query.applicationHookSettings': ['GET', `${hook}/settings`],
    'Mutation.updateApplicationHookSettings': ['PUT', `${hook}/settings`],
    'Mutation.rotateApplicationHookSigningSecret': ['POST', `${hook}/signing-secret`],
    'Mutation.removeApplicationHookSigningSecret': ['DELETE', `${hook}/signing-secret`],
    'Query.applicationHookLedger': ['GET', `${hook}/ledger`],
    'Query.applicationHookDelivery': ['GET', `${hook}/deliveries/:deliveryId`],
    'Mutation.redeliverApplicationHookDelivery': ['POST', `${hook}/deliveries/:deliveryId/redeliver`],
    'Mutation.redeliverApplicationHook': ['POST', `${hook}/redeliver`],
    'Mutation.replayApplicationHook': ['POST', `${hook}/replay`],
  },
  Attributes: {
    'Query.deviceAttributes': ['GET', `${device}/attributes`],
    'Mutation.setDeviceAttributes': ['PUT', `${device}/attributes`],
    'Mutation.removeDeviceAttribute': ['DELETE', `${device}/attributes/:name`],
    'Query.siteAttributes': ['GET', `${site}/attributes`],
    'Mutation.setSiteAttributes': ['PUT', `${site}/attributes`],
    'Mutation.removeSiteAttribute': ['DELETE', `${site}/attributes/:name`],
  },
  Commands: {
    'Mutation.sendCommand': ['POST', `${device}/commands`],
    'Mutation.takeCommands': ['GET', `${device}/commands`, { waits: true }],
    'Mutation.answerCommand': ['POST', `${device}/commands/:commandId/result`],
    'Mutation.sendCommands': ['POST', `${organization}/commands`],
    'Query.commands': ['GET', `${organization}/commands`],
    'Query.command': ['GET', command],
    'Query.commandEvidence': ['GET', `${command}/evidence`],
    'Mutation.cancelCommands': ['POST', `${device}/commands/cancel`],
    'Query.deviceState': ['GET', `${device}/state`],
    'Mutation.setDesiredState': ['PUT', `${device}/state`],
    'Mutation.reportState': ['POST', `${device}/state`],
  },
  Sites: {
    'Query.sites': ['GET', `${organization}/sites`],
    'Mutation.createSite': ['POST', `${organization}/sites`],
    'Query.site': ['GET', site],
    'Mutation.updateSite': ['PUT', site],
    'Mutation.deleteSite': ['DELETE', site],
    'Query.siteDevices': ['GET', `${site}/devices`],
    'Query.deviceSites': ['GET', `${device}/sites`],
    'Mutation.moveDevices': ['PUT', `${organization}/device-sites`],
  },
  'Network servers': {
    'Query.networkServers': ['GET', `${organization}/network-servers`],
    'Mutation.createNetworkServer': ['POST', `${organization}/network-servers`],
    'Query.networkServer': ['GET', networkServerAt],
    'Mutation.updateNetworkServer': ['PUT', networkServerAt],
    'Mutation.deleteNetworkServer': ['DELETE', networkServerAt],
    'Mutation.confirmNetworkServer': ['POST', `${networkServerAt}/confirm`],
    'Mutation.testNetworkServer': ['POST', `${networkServerAt}/test`],
  },
  Alerts: {
    'Query.alertRules': ['GET', `${application}/alert-rules`],
    'Mutation.createAlertRule': ['POST', `${application}/alert-rules`],
    'Query.previewAlertRule': ['POST', `${application}/alert-rules/preview`],
    'Query.alertRule': ['GET', alertRule],
    'Mutation.updateAlertRule': ['PUT', alertRule],
    'Mutation.deleteAlertRule': ['DELETE', alertRule],
    'Query.episodes': ['GET', `${application}/episodes`],
    'Mutation.acknowledgeEpisodes': ['POST', `${application}/episodes/acknowledge`],
  },
  Ingestion: {
    'Mutation.ingestRecords': [
      'POST',
      `${organization}/records`,
      { ingest: true, body: { argument: 'records', lines: true }, headers: { idempotencyKey: 'idempotency-key' } },
    ],
    'Mutation.ingestDeviceRecords': [
      'POST',
      `${device}/records`,
      { ingest: true, body: { argument: 'records', lines: true }, headers: { idempotencyKey: 'idempotency-key' } },
    ],
    'Mutation.ingestTheThingsStack': [
      'POST',
      `${organization}/ingest/the-things-stack`,
      {
        ...networkServer(chooseJson.theThingsStack),
        headers: { downlinkPush: 'x-downlink-push', downlinkApiKey: 'x-downlink-apikey' },
      },
    ],
    'Mutation.ingestChirpStack': ['POST', `${organization}/ingest/chirpstack`, networkServer(chooseJson.chirpStack)],
    'Mutation.ingestSigfox': ['POST', `${organization}/ingest/sigfox`, { ...networkServer(), mayAnswer: true }],
    'Mutation.ingestThingsBoard': ['POST', `${organization}/ingest/thingsboard/:serial`, networkServer()],
    'Query.deviceLatest': ['GET', `${device}/latest`],
    'Query.applicationLatest': ['GET', `${application}/latest`],
    'Query.groupSeries': ['POST', `${organization}/group-series`],
    'Query.decodeFrame': ['POST', `${product}/decode`],
    'Mutation.redecodeProduct': ['POST', `${product}/redecode`],
    'Query.job': ['GET', `${organization}/jobs/:jobId`],
  },
  Export: {
    'Query.applicationExport': ['GET', `${application}/export`, { file: true }],
    'Query.organizationExport': ['GET', `${organization}/export`, { file: true }],
  },
  'Device tokens': {
    'Query.deviceTokens': ['GET', `${device}/tokens`],
    'Mutation.createDeviceToken': ['POST', `${device}/tokens`],
    'Mutation.revokeDeviceToken': ['DELETE', `${device}/tokens/:tokenId`],
  },
  Provisioning: {
    'Query.provisioningTokens': ['GET', `${product}/provisioning-tokens`],
    'Mutation.createProvisioningToken': ['POST', `${product}/provisioning-tokens`],
    'Mutation.revokeProvisioningToken': ['DELETE', `${product}/provisioning-tokens/:provisioningTokenId`],
    'Mutation.provisionDevice': ['POST', '/provision/:deviceSerial'],
  },
  Import: {
    'Mutation.importDevices': [
      'POST',
      `${organization}/imports/devices`,
      { body: { argument: 'file', files: ['csv'] } },
    ],
    'Mutation.importRecords': [
      'POST',
      `${organization}/imports/records`,
      { body: { argument: 'file', files: ['csv', 'ndjson', 'parquet'] } },
    ],
    'Query.fileImport': ['GET', fileImport],
    'Mutation.applyFileImport': ['POST', `${fileImport}/apply`],
    'Mutation.deleteFileImport': ['DELETE', fileImport],
  },
  'Audit log': {
    'Query.auditEvents': ['GET', `${organization}/audit`],
  },
  Usage: {
    'Query.usage': ['GET', `${organization}/usage`],
    'Query.quota': ['GET', `${organization}/quota`],
  },
};

/**
 * Returns the options of a route that a network server posts to in its own format. The answer has no body, because some
 * network servers would send a body to the device as a downlink.
 */
function networkServer(otherTypes?: string): RouteOptions {
  return { ingest: true, status: 204, body: { argument: 'body', ...(otherTypes !== undefined && { otherTypes }) } };
}

const toRoute = (tag: string, name: string, [verb, path, options]: Row): Route => {
  const [root, operation] = name.split('.') as [Route['root'], string];
  return { root, operation, verb, path, tag, ...(verb === 'DELETE' && { status: 204 }), ...options };
};

/** All operations that REST serves. An operation that is not listed has no address on REST. */
export const routes: readonly Route[] = Object.entries(chapters).flatMap(([tag, rows]) =>
  Object.entries(rows).map(([name, row]) => toRoute(tag, name, row)),
);

/** Returns the names of the arguments in a route's path. */
export const pathArguments = (route: Route): string[] => [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
