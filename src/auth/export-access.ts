import type { Application } from '#entities/application.js';
import { ExportSubject, OrganizationExportSubject } from '#entities/export.js';
import type { Context } from '#schema/context.js';
import type { ExportArgs, OrganizationExportArgs } from '#schema/export.args.js';
import { loadApplication, requireOrganization } from './access.js';

/** Loads the application of an export. Deliveries are for callers who may change the application. */
export const loadExported = (ctx: Context, { organizationId, applicationId, of }: ExportArgs): Promise<Application> =>
  loadApplication(ctx, organizationId, applicationId, of === ExportSubject.deliveries ? 'write' : 'read');

/** Checks that the caller may export from the organization. The audit log is for owners. */
export const requireExport = (ctx: Context, { organizationId, of }: OrganizationExportArgs): void =>
  requireOrganization(ctx, organizationId, of === OrganizationExportSubject.auditEvents ? 'own' : 'read');
