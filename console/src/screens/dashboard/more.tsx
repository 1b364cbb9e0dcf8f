import type { Dashboard } from './document.js';
import type { Application } from './facts.js';

/** Further actions of a dashboard. */
export const More = (_: {
  application: Application;
  dashboard: Dashboard;
  version: number;
  mayChange: boolean;
  reload: () => void;
}) => null;
