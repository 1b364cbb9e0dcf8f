import type { Application } from '#entities/application.js';
import { ExportSubject, OrganizationExportSubject } from '#entities/export.js';
import type { Context } from '#schema/context.js';
import type { ExportArgs, OrganizationExportArgs } from '#schema/export.args.js';
import { authorize, loadApplication } from './access.js';
import type { Audience } from './audiences.js';
import { policies } from './policies.js';

/** Audiences of an application's exports, by what is exported. */
const ofApplication: Readonly<Record<ExportSubject, Audience<'application'>>> = {
  records: policies.record.search,
  aggregations: policies.record.search,
  devices: policies.application.read,
  deliveries: policies.delivery.read,
  episodes: policies.episode.read,
};

/** Loads the application of an export, for a caller who may read what is exported. */
export const loadExported = (ctx: Context, args: ExportArgs): Promise<Application> =>
  loadApplication(ctx, args, ofApplication[args.of ?? ExportSubject.records]);

/** Checks that the caller may export from the organization. Lists of things hold those that the caller can read. */
export const requireExport = (ctx: Context, { organizationId, of }: OrganizationExportArgs): void =>
  authorize(
    ctx,
    organizationId,
    of === OrganizationExportSubject.auditEvents ? policies.auditEvent.read : policies.organization.read,
  );
