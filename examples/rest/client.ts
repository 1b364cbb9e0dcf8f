import { type Call, createCall, type Send } from './http.js';
import type {
  Account,
  Application,
  ApplicationItem,
  Delivery,
  Device,
  DeviceInput,
  DeviceItem,
  Hook,
  HookInput,
  HookItem,
  Member,
  Organization,
  Page,
  Permission,
  Product,
  ProductItem,
  PublicProductItem,
  Role,
  SearchAnswer,
  SearchablePage,
  SearchInput,
  TeamItem,
  TeamMember,
  Times,
  User,
  Variable,
} from './types.js';

interface Profile {
  email: string;
  username: string;
  name?: string;
}

interface TeamInput {
  name: string;
  description?: string;
}

interface ProductInput {
  name: string;
  version: string;
  variables: Variable[];
}

interface ApplicationInput extends TeamInput {
  hasDashboard: boolean;
}

type Team = TeamItem & Times;

/** The accounts: the caller's organization, and the users of the platform. */
const accounts = (call: Call) => ({
  account: () => call<Account>('GET', '/account'),
  updateAccount: (body: Profile) => call<Account>('PUT', '/account', { body }),
  accounts: (query: SearchablePage & { ids?: string[] } = {}) => call<User[]>('GET', '/accounts', { query }),
});

const organization = (call: Call, at: string) => ({
  organization: () => call<Organization>('GET', at),
  updateOrganization: (body: Profile) => call<Account>('PUT', at, { body }),
  members: (query: SearchablePage & { role?: Role } = {}) => call<Member[]>('GET', `${at}/members`, { query }),
  setMember: (userId: string, body: { role?: Role } = {}) => call('PUT', `${at}/members/${userId}`, { body }),
  removeMember: (userId: string) => call('DELETE', `${at}/members/${userId}`),
});

const teams = (call: Call, organizationId: string) => {
  const all = `/organizations/${organizationId}/teams`;
  const one = (teamId: string) => `/teams/${organizationId}/${teamId}`;
  return {
    teams: (query: SearchablePage = {}) => call<TeamItem[]>('GET', all, { query }),
    createTeam: (body: TeamInput) => call<Team>('POST', all, { body }),
    team: (teamId: string) => call<Team>('GET', one(teamId)),
    updateTeam: (teamId: string, body: TeamInput) => call<Team>('PUT', one(teamId), { body }),
    deleteTeam: (teamId: string) => call('DELETE', one(teamId)),
    teamMembers: (teamId: string, query: Page = {}) => call<TeamMember[]>('GET', `${one(teamId)}/members`, { query }),
    addTeamMember: (teamId: string, userId: string) => call('PUT', `${one(teamId)}/members/${userId}`),
    removeTeamMember: (teamId: string, userId: string) => call('DELETE', `${one(teamId)}/members/${userId}`),
    teamApplications: (teamId: string, query: Page = {}) =>
      call<ApplicationItem[]>('GET', `${one(teamId)}/applications`, { query }),
    setTeamApplication: (teamId: string, applicationId: string, body: { permission: Permission }) =>
      call('PUT', `${one(teamId)}/applications/${applicationId}`, { body }),
    removeTeamApplication: (teamId: string, applicationId: string) =>
      call('DELETE', `${one(teamId)}/applications/${applicationId}`),
  };
};

const products = (call: Call, organizationId: string) => {
  const all = `/organizations/${organizationId}/products`;
  const one = (productId: string) => `/products/${organizationId}/${productId}`;
  return {
    publicProducts: (query: SearchablePage = {}) => call<PublicProductItem[]>('GET', '/products', { query }),
    products: (query: SearchablePage = {}) => call<ProductItem[]>('GET', all, { query }),
    createProduct: (body: ProductInput) => call<Product>('POST', all, { body }),
    product: (productId: string) => call<Product>('GET', one(productId)),
    updateProduct: (productId: string, body: ProductInput) => call<Product>('PUT', one(productId), { body }),
    deleteProduct: (productId: string) => call('DELETE', one(productId)),
  };
};

const devices = (call: Call, organizationId: string) => {
  const all = `/organizations/${organizationId}/devices`;
  const one = (deviceId: string) => `/devices/${organizationId}/${deviceId}`;
  return {
    devices: (query: SearchablePage & { productId?: string; hasProduct?: boolean } = {}) =>
      call<DeviceItem[]>('GET', all, { query }),
    registerDevice: (serial: string, body: DeviceInput = {}) => call<Device>('POST', `${all}/${serial}`, { body }),
    device: (deviceId: string) => call<Device>('GET', one(deviceId)),
    updateDevice: (deviceId: string, body: DeviceInput) => call<Device>('PUT', one(deviceId), { body }),
    deleteDevice: (deviceId: string) => call('DELETE', one(deviceId)),
  };
};

const applications = (call: Call, organizationId: string) => {
  const all = `/organizations/${organizationId}/applications`;
  const one = (applicationId: string) => `/applications/${organizationId}/${applicationId}`;
  return {
    applications: (query: SearchablePage & { ids?: string[] } = {}) => call<ApplicationItem[]>('GET', all, { query }),
    createApplication: (body: ApplicationInput) => call<Application>('POST', all, { body }),
    application: (applicationId: string) => call<Application>('GET', one(applicationId)),
    updateApplication: (applicationId: string, body: ApplicationInput) =>
      call<Application>('PUT', one(applicationId), { body }),
    deleteApplication: (applicationId: string) => call('DELETE', one(applicationId)),
    search: (applicationId: string, { ts, queries }: SearchInput) =>
      call<SearchAnswer>('GET', `${one(applicationId)}/search`, { query: { ts, queries } }),
    applicationDevices: (applicationId: string, query: Page & { productId?: string } = {}) =>
      call<DeviceItem[]>('GET', `${one(applicationId)}/devices`, { query }),
    addApplicationDevice: (applicationId: string, deviceId: string) =>
      call('PUT', `${one(applicationId)}/devices/${deviceId}`),
    removeApplicationDevice: (applicationId: string, deviceId: string) =>
      call('DELETE', `${one(applicationId)}/devices/${deviceId}`),
  };
};

const hooks = (call: Call, organizationId: string) => {
  const all = (applicationId: string) => `/applications/${organizationId}/${applicationId}/hooks`;
  return {
    hooks: (applicationId: string, query: SearchablePage = {}) =>
      call<HookItem[]>('GET', all(applicationId), { query }),
    createHook: (applicationId: string, body: HookInput) => call<Hook>('POST', all(applicationId), { body }),
    hook: (applicationId: string, hookId: string) => call<Hook>('GET', `${all(applicationId)}/${hookId}`),
    updateHook: (applicationId: string, hookId: string, body: HookInput) =>
      call<Hook>('PUT', `${all(applicationId)}/${hookId}`, { body }),
    deleteHook: (applicationId: string, hookId: string) => call('DELETE', `${all(applicationId)}/${hookId}`),
    pingHook: (applicationId: string, hookId: string) => call<Delivery>('POST', `${all(applicationId)}/${hookId}/ping`),
    deliveries: (applicationId: string, hookId: string, query: SearchablePage = {}) =>
      call<Delivery[]>('GET', `${all(applicationId)}/${hookId}/deliveries`, { query }),
  };
};

/** Makes a client of every operation for the organization that a token is of. */
export const createClient = async (base: string, token: string, send?: Send) => {
  const call = createCall(base, token, send);
  const own = accounts(call);
  const { id } = await own.account();
  return {
    ...own,
    ...organization(call, `/organizations/${id}`),
    ...teams(call, id),
    ...products(call, id),
    ...devices(call, id),
    ...applications(call, id),
    ...hooks(call, id),
  };
};

/** A client of every operation. */
export type Client = Awaited<ReturnType<typeof createClient>>;
