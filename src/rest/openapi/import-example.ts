import { createdAt, importId, jobId, organizationId, updatedAt } from './example-id.js';

/** Example of an import. */
export const fileImport = {
  id: importId,
  organizationId,
  kind: 'devices',
  format: 'csv',
  state: 'checked',
  bytes: 143,
  lines: 3,
  created: 1,
  updated: 1,
  unchanged: 0,
  rejected: 1,
  faultCount: 1,
  faults: [{ line: 4, column: 1, field: 'serial', message: 'is missing' }],
  ignored: [],
  job: { id: jobId, kind: 'checkDevices', state: 'done', done: 3, total: 3, changed: 2, createdAt, updatedAt },
  createdAt,
  updatedAt,
};
