import type { Column, ColumnKind } from './table.js';

const columnsOf = (kinds: Readonly<Record<string, ColumnKind>>): Column[] =>
  Object.entries(kinds).map(([path, kind]) => ({ path, kind }));

/** Columns of devices. */
export const deviceColumns = columnsOf({
  id: 'text',
  serial: 'text',
  name: 'text',
  slug: 'text',
  tags: 'json',
  'product.id': 'text',
  'site.id': 'text',
  'location.lat': 'double',
  'location.lon': 'double',
  attributes: 'json',
  applicationCount: 'long',
  createdAt: 'time',
  updatedAt: 'time',
});

/** Columns of deliveries. */
export const deliveryColumns = columnsOf({
  id: 'text',
  applicationHookId: 'text',
  deviceId: 'text',
  recordId: 'text',
  ts: 'time',
  successful: 'boolean',
  attemptsMade: 'long',
  maxNumberAttempts: 'long',
  'response.statusCode': 'long',
  'error.code': 'text',
  createdAt: 'time',
  updatedAt: 'time',
  nextAttemptAt: 'time',
});

/** Columns of episodes. */
export const episodeColumns = columnsOf({
  id: 'text',
  applicationId: 'text',
  alertRuleId: 'text',
  name: 'text',
  severity: 'text',
  deviceId: 'text',
  openedAt: 'time',
  'openedBy.values': 'json',
  closedAt: 'time',
  'closedBy.values': 'json',
  closedReason: 'text',
  acknowledgedAt: 'time',
  acknowledgedBy: 'text',
});

/** Columns of events of the audit log. */
export const auditEventColumns = columnsOf({
  id: 'text',
  at: 'time',
  'actor.kind': 'text',
  'actor.actorId': 'text',
  'actor.name': 'text',
  'actor.userId': 'text',
  'actor.userName': 'text',
  action: 'text',
  'target.kind': 'text',
  'target.targetId': 'text',
  'target.name': 'text',
  changes: 'json',
  outcome: 'text',
  requestId: 'text',
  address: 'text',
});
