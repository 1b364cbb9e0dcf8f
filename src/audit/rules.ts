import type { Account } from '#entities/account.js';
import type { AlertRule } from '#entities/alert-rule.js';
import type { ApiToken } from '#entities/api-token.js';
import type { Application } from '#entities/application.js';
import type { Device } from '#entities/device.js';
import type { Hook } from '#entities/hook.js';
import type { Invitation } from '#entities/invitation.js';
import type { Membership } from '#entities/membership.js';
import type { NetworkServer } from '#entities/network-server.js';
import type { Product } from '#entities/product.js';
import type { Site } from '#entities/site.js';
import type { Team } from '#entities/team.js';

/** Ways to show a changed field in an event: with its values, with the word `changed` (`secret`), or not at all. */
export type Told = 'shown' | 'secret' | 'left out';

type Method = (...values: never[]) => unknown;

/**
 * Rules for the fields of a class. A property that is added to the class and not here does not compile, so that
 * somebody decides whether it is secret.
 */
interface Rules<Row> {
  readonly kind: string;
  readonly name: (row: Row) => string | null | undefined;
  readonly fields: { readonly [Name in keyof Row as Row[Name] extends Method ? never : Name]-?: Told };
}

/** Rules of any class. */
export interface AnyRules {
  readonly kind: string;
  readonly name: (row: never) => string | null | undefined;
  readonly fields: Readonly<Record<string, Told>>;
}

/** Fields of every row that events leave out, because they follow from others. */
const usual = { id: 'left out', createdAt: 'left out' } as const;
const owned = { ...usual, organizationId: 'left out', updatedAt: 'left out', slug: 'left out' } as const;

const account: Rules<Account> = {
  kind: 'organization',
  name: ({ name, username }) => name ?? username,
  fields: {
    ...usual,
    updatedAt: 'left out',
    type: 'left out',
    username: 'shown',
    name: 'shown',
    email: 'shown',
    disabled: 'shown',
    timeZone: 'shown',
  },
};

const team: Rules<Team> = {
  kind: 'team',
  name: ({ name }) => name,
  fields: { ...owned, name: 'shown', description: 'shown' },
};

const application: Rules<Application> = {
  kind: 'application',
  name: ({ name }) => name,
  fields: {
    ...owned,
    permission: 'left out',
    externalId: 'shown',
    name: 'shown',
    description: 'shown',
    hasDashboard: 'shown',
  },
};

const product: Rules<Product> = {
  kind: 'product',
  name: ({ name }) => name,
  fields: {
    ...owned,
    deviceCount: 'left out',
    externalId: 'shown',
    name: 'shown',
    version: 'shown',
    variables: 'shown',
    settings: 'shown',
    public: 'shown',
  },
};

const device: Rules<Device> = {
  kind: 'device',
  name: ({ name, serial }) => name ?? serial,
  fields: {
    ...owned,
    applicationCount: 'left out',
    product: 'left out',
    location: 'left out',
    serial: 'shown',
    name: 'shown',
    tags: 'shown',
    productId: 'shown',
    lat: 'shown',
    lon: 'shown',
  },
};

const hook: Rules<Hook> = {
  kind: 'hook',
  name: ({ url }) => url,
  fields: {
    ...usual,
    organizationId: 'left out',
    updatedAt: 'left out',
    application: 'left out',
    applicationId: 'shown',
    externalId: 'shown',
    url: 'shown',
    basicUser: 'shown',
    basicPass: 'secret',
    headerName: 'shown',
    headerValue: 'secret',
    allowUnverifiedSSLCert: 'shown',
    disabled: 'shown',
    disabledAt: 'left out',
    disabledReason: 'shown',
    concurrency: 'shown',
    maxPerSecond: 'shown',
    ordered: 'shown',
    filter: 'shown',
    filterDisabledAt: 'left out',
    filterDisabledReason: 'shown',
    events: 'shown',
    signingSecret: 'secret',
    previousSigningSecret: 'secret',
    previousSigningSecretUntil: 'left out',
  },
};

const alertRule: Rules<AlertRule> = {
  kind: 'alertRule',
  name: ({ name }) => name,
  fields: {
    ...usual,
    organizationId: 'left out',
    updatedAt: 'left out',
    applicationId: 'shown',
    name: 'shown',
    severity: 'shown',
    kind: 'shown',
    warnings: 'left out',
    products: 'shown',
    tags: 'shown',
    sites: 'shown',
    when: 'shown',
    until: 'shown',
    for: 'shown',
    maxGap: 'shown',
    closeAfter: 'shown',
    silentFor: 'shown',
    unsettledFor: 'shown',
    stateName: 'shown',
    variable: 'shown',
    recipients: 'shown',
    disabled: 'shown',
    disabledAt: 'left out',
    disabledReason: 'shown',
    version: 'left out',
    timeouts: 'left out',
    externalId: 'shown',
  },
};

const token: Rules<ApiToken> = {
  kind: 'token',
  name: ({ name, prefix }) => name ?? prefix,
  fields: {
    ...usual,
    organizationId: 'left out',
    userId: 'shown',
    deviceId: 'shown',
    productId: 'shown',
    applicationId: 'left out',
    name: 'shown',
    scope: 'shown',
    hash: 'secret',
    prefix: 'left out',
    lastUsedAt: 'left out',
    expiresAt: 'shown',
    revokedAt: 'shown',
  },
};

const membership: Rules<Membership> = {
  kind: 'member',
  name: () => null,
  fields: { organizationId: 'left out', userId: 'shown', role: 'shown', createdAt: 'left out' },
};

const invitation: Rules<Invitation> = {
  kind: 'invitation',
  name: ({ email }) => email,
  fields: {
    ...usual,
    organizationId: 'left out',
    email: 'shown',
    role: 'shown',
    teamIds: 'shown',
    createdBy: 'left out',
    hash: 'secret',
    expiresAt: 'shown',
  },
};

const site: Rules<Site> = {
  kind: 'site',
  name: ({ name }) => name,
  fields: {
    ...usual,
    organizationId: 'left out',
    updatedAt: 'left out',
    path: 'left out',
    location: 'left out',
    parentId: 'shown',
    name: 'shown',
    kind: 'shown',
    lat: 'shown',
    lon: 'shown',
    timeZone: 'shown',
    externalId: 'shown',
  },
};

const networkServer: Rules<NetworkServer> = {
  kind: 'networkServer',
  name: ({ name }) => name,
  fields: {
    ...usual,
    organizationId: 'left out',
    updatedAt: 'left out',
    kind: 'shown',
    name: 'shown',
    address: 'shown',
    application: 'shown',
    apiKey: 'secret',
    proposed: 'shown',
  },
};

/** Rules by the class names of the unit of work. */
export const rules: Readonly<Record<string, AnyRules>> = {
  Account: account,
  AlertRule: alertRule,
  ApiToken: token,
  Application: application,
  Device: device,
  Hook: hook,
  Invitation: invitation,
  Membership: membership,
  NetworkServer: networkServer,
  Product: product,
  Site: site,
  Team: team,
};
