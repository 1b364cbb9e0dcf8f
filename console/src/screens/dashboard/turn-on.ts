import { DashboardOwnerDocument, UpdateApplicationDocument } from '../../api/documents.js';
import { ask } from '../../api/graph.js';
import { organizationId } from '../../api/session.js';

/** Gives an application a dashboard, and restores the dashboard that it had before, if any. */
export async function turnOn(applicationId: string): Promise<void> {
  const names = { organizationId: organizationId.value, applicationId };
  const { application } = await ask(DashboardOwnerDocument, names);
  const { name, description } = application;
  await ask(UpdateApplicationDocument, { ...names, name, description, hasDashboard: true });
}
