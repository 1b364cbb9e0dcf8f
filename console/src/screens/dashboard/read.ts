import type { Dashboard } from './document.js';
import { emptyDashboard } from './document.js';

/** Returns a stored document; the server has checked it. One of a later format shows nothing. */
export const readDashboard = (document: unknown): Dashboard => {
  const { format, ...rest } = document as Dashboard;
  return format === 1 ? { ...emptyDashboard, ...rest } : emptyDashboard;
};
