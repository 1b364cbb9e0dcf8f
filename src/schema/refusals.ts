/** Reasons of 409 by mutation. REST and the graph describe them by this table. */
export const conflicts: Readonly<Record<string, string>> = {
  applyFileImport: 'the dry run of the file has not finished, or too many files wait',
  createAlertRule: 'too many rules of the application, or addresses of the organization',
  createApplicationHook: 'too many hooks of the application',
  createDashboardLink: 'too many links of the application, or it has no dashboard',
  confirmNetworkServer: 'the application has a network server, or too many of the organization',
  createInvitation: 'the address is invited already, or too many invitations are open',
  deleteDevice: 'the device is linked to an application',
  deleteDevices: 'devices are linked to an application',
  deleteProduct: 'the product is public, or devices use it',
  leaseConfiguration: 'another tool holds the configuration',
  createNetworkServer: 'the application has a network server, or too many of the organization',
  createSite: 'too many sites of the organization',
  deleteSite: 'sites or devices are in it',
  importDevices: 'too many files wait',
  importRecords: 'too many files wait',
  provisionDevice: 'the serial cannot be registered with this token',
  putProductSettings: 'somebody else saved settings since this version',
  registerDevice: 'the serial is taken',
  removeOrganizationMember: 'the last owner',
  replayApplicationHook: 'the hook is not called for records',
  sendCommand: 'too many commands wait for the device, or the key belongs to another one',
  setOrganizationMember: 'the last owner',
  updateAccount: 'the username or the e-mail address is taken',
  updateAlertRule: 'too many addresses of the organization',
  updateDashboard: 'somebody else saved since this version, or the application has no dashboard',
  updateNetworkServer: 'the application has a network server',
  updateOrganization: 'the username or the e-mail address is taken',
};

/** Callers who are refused with 403, by the access that a mutation takes. The others take an owner. */
const forbidden = {
  anyone: 'tokens that may change nothing',
  readers: 'tokens that may change nothing',
  writers: 'callers who may not change the application, or one of the device',
  ingesters: 'callers who neither are owners nor have a token that posts records',
  deviceIngesters: 'callers who neither are owners nor have a token that posts records',
  provisioners: 'all tokens but provisioning tokens',
  owners: 'callers who are not owners',
} as const;

type Access = keyof typeof forbidden;

/** Mutations that take another access than that of an owner. */
const mutations: Readonly<Record<Exclude<Access, 'owners'>, ReadonlySet<string>>> = {
  anyone: new Set(['revokeMySessions', 'updateAccount']),
  readers: new Set(['acknowledgeEpisodes']),
  writers: new Set([
    'addApplicationDevice',
    'cancelCommands',
    'createAlertRule',
    'createApplicationHook',
    'deleteAlertRule',
    'deleteApplicationHook',
    'linkDevices',
    'pingApplicationHook',
    'putAlertRules',
    'putHooks',
    'redeliverApplicationHook',
    'redeliverApplicationHookDelivery',
    'removeApplicationDevice',
    'removeApplicationHookSigningSecret',
    'replayApplicationHook',
    'rotateApplicationHookSigningSecret',
    'sendCommand',
    'sendCommands',
    'setDesiredState',
    'unlinkDevices',
    'updateAlertRule',
    'updateApplication',
    'updateApplicationHook',
    'updateApplicationHookSettings',
    'updateDashboard',
  ]),
  ingesters: new Set([
    'ingestChirpStack',
    'ingestRecords',
    'ingestSigfox',
    'ingestTheThingsStack',
    'ingestThingsBoard',
  ]),
  deviceIngesters: new Set(['answerCommand', 'ingestDeviceRecords', 'reportState', 'takeCommands']),
  provisioners: new Set(['provisionDevice']),
};

/** Returns the reasons of 403 and 404 of a mutation; those who may not see a thing get 404. */
export function refused(name: string): { forbidden: string; missing?: string } {
  const found = Object.entries(mutations).find(([, names]) => names.has(name));
  const access = (found?.[0] ?? 'owners') as Access;
  const finds = access !== 'anyone' && access !== 'provisioners';
  return { forbidden: forbidden[access], ...(finds && { missing: 'things that the caller cannot see' }) };
}
