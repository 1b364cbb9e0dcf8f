import type { Account } from '#entities/account.js';
import type { AlertRule } from '#entities/alert-rule.js';
import type { ApiToken } from '#entities/api-token.js';
import type { Application } from '#entities/application.js';
import type { AuditChanges, AuditTarget } from '#entities/audit-event.js';
import type { Device } from '#entities/device.js';
import type { Hook } from '#entities/hook.js';
import type { Invitation } from '#entities/invitation.js';
import type { Membership } from '#entities/membership.js';
import type { Product } from '#entities/product.js';
import type { Site } from '#entities/site.js';
import type { Team } from '#entities/team.js';
import type { PlainJson } from '#json/json.js';

/** Ways to show a changed field in an event: with its values, with the word `changed` (`secret`), or not at all. */
type Told = 'shown' | 'secret' | 'left out';

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
interface AnyRules {
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

/** Rules by the class names of the unit of work. */
const rules: Readonly<Record<string, AnyRules>> = {
  Account: account,
  AlertRule: alertRule,
  ApiToken: token,
  Application: application,
  Device: device,
  Hook: hook,
  Invitation: invitation,
  Membership: membership,
  Product: product,
  Site: site,
  Team: team,
};

/** A change of one row: its present values and, for an update, the former values of the changed fields. */
export interface RowChange {
  /** Name of the class. */
  readonly of: string;
  readonly type: 'create' | 'update' | 'delete';
  readonly row: Readonly<Record<string, unknown>>;
  readonly before?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Returns the audit target of a row.
 * @throws Error for a class without rules, because its changes would go unrecorded
 */
export const targetOf = (of: string, row: object): AuditTarget => {
  const { kind, name } = rulesOf(of);
  const id = (row as { id?: string }).id ?? null;
  return { kind, id, name: name(row as never) ?? null };
};

/** Returns the changed fields of a row, without secret values. */
export const changesOf = ({ of, type, row, before = {} }: RowChange): AuditChanges => {
  const changes: Record<string, readonly [PlainJson, PlainJson]> = {};
  for (const [field, told] of Object.entries<Told>(rulesOf(of).fields)) {
    if (told === 'left out' || (type === 'update' && !(field in before))) continue;
    const then = type === 'create' ? null : ((type === 'delete' ? row[field] : before[field]) ?? null);
    const now = type === 'delete' ? null : (row[field] ?? null);
    if (then === null && now === null) continue;
    changes[field] = told === 'secret' ? [hidden(then), hidden(now)] : ([then, now] as [PlainJson, PlainJson]);
  }
  return changes;
};

const rulesOf = (of: string): AnyRules => {
  const found = rules[of];
  if (found === undefined) throw new Error(`No rule says which fields of ${of} are secret.`);
  return found;
};

const hidden = (value: unknown): PlainJson => (value === null ? null : 'changed');
