import type { Dashboard } from './document.js';
import { emptyDashboard } from './document.js';

/** Returns a stored document, which the server has checked. A document of a later format becomes empty. */
export const readDashboard = (document: unknown): Dashboard => {
  const { format, ...rest } = document as Dashboard;
  return format === 1 ? { ...emptyDashboard, ...rest } : emptyDashboard;
};
