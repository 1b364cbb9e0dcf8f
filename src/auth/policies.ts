import type { Sql } from 'sql-template-tag';
import type { Application } from '#entities/application.js';
import type { Caller } from '#entities/caller.js';
import { Permission } from '#entities/enums.js';
import {
  type Audience,
  isOwner,
  itsPerson,
  members,
  owners,
  readers,
  readersOfDevice,
  readersOfSite,
  usersOfProduct,
  writers,
  writersOfDevice,
} from './audiences.js';

/**
 * Access to the things of an organization: for each thing and action, the audience that may do it (contract, section 4).
 * Every operation, list, edge, upsert and export reads its access here. A caller who may not read a thing gets 404; one
 * who may read it, but not do more, gets 403. The scope of a token and a link to a dashboard narrow this further
 * (`schema/scope.ts`).
 */
export const policies = {
  organization: { read: members, change: owners },
  member: { read: members, change: owners },
  team: { read: members, change: owners },
  invitation: { read: owners, change: owners },
  session: { read: owners, end: owners },
  ownSession: { read: itsPerson, end: itsPerson },
  apiToken: { read: owners, change: owners },
  deviceToken: { read: owners, change: owners },
  provisioningToken: { read: owners, change: owners },
  networkServer: { read: owners, change: owners },
  auditEvent: { read: owners },
  usage: { read: owners },
  job: { read: members },
  fileImport: { read: owners, change: owners },
  configuration: { change: owners },

  product: { read: usersOfProduct, change: owners, decode: owners },
  device: { read: readersOfDevice, change: owners },
  // A site gives no access to its devices.
  site: { read: readersOfSite, change: owners },
  // `speak` is for the device itself: to take commands, answer them and report its state.
  command: { read: readersOfDevice, send: writersOfDevice, speak: owners },
  deviceState: { read: readersOfDevice, desire: writersOfDevice, report: owners },
  // `search` is by application; `count` is the number of records over time of the whole organization.
  record: { read: readersOfDevice, search: readers, ingest: owners, count: owners },

  // `change` includes links to devices; `grant` gives teams access.
  application: { read: readers, change: writers, create: owners, delete: owners, grant: owners },
  dashboard: { read: readers, change: writers },
  dashboardLink: { read: owners, change: owners },
  // `take` moves a hook from another application; `hearOfDevices` selects events of all devices.
  hook: { read: writers, change: writers, take: owners, hearOfDevices: owners },
  delivery: { read: writers, repeat: writers },
  alertRule: { read: readers, change: writers },
  episode: { read: readers, acknowledge: readers },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Audience>>>>;

/** Returns the SQL condition that the caller is in an audience, on the row that the audience names. */
export const can = (caller: Caller, audience: Audience): Sql => audience.has(caller);

/** Whether the caller is in an audience of its organization. */
export const isAllowed = (caller: Caller, { need }: Audience<'organization'>): boolean =>
  need === 'read' || isOwner(caller);

/** Whether a caller with this permission on an application is in an audience of its readers or writers. */
export const isAllowedOn = (
  { permission }: Pick<Application, 'permission'>,
  { need }: Pick<Audience, 'need'>,
): boolean => need === 'read' || permission === Permission.write;
