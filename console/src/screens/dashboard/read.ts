import { DashboardToAddToDocument } from '../../api/documents.js';
import { ask } from '../../api/graph.js';
import { organizationId } from '../../api/session.js';
import type { Dashboard } from './document.js';
import { emptyDashboard } from './document.js';

/** Returns a stored document, which the server has checked. A document of a later format becomes empty. */
export const readDashboard = (document: unknown): Dashboard => {
  const { format, ...rest } = document as Dashboard;
  return format === 1 ? { ...emptyDashboard, ...rest } : emptyDashboard;
};

/** Asks for the dashboard of an application as it is stored now, with its version. */
export async function storedDashboard(applicationId: string): Promise<{ version: number; dashboard: Dashboard }> {
  const { application } = await ask(DashboardToAddToDocument, { organizationId: organizationId.value, applicationId });
  const { version = 0, document = {} } = application.dashboard ?? {};
  return { version, dashboard: readDashboard(document) };
}
