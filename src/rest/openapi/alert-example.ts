import { alertRuleId, applicationId, createdAt, deviceId, organizationId, productId, updatedAt } from './example-id.js';

/** The condition of the example alert rule. */
const decision = {
  kind: 'threshold',
  products: [productId],
  tags: ['north'],
  sites: [],
  when: { all: [{ variable: 'temperature', operator: 'gt', value: 8 }] },
  until: { all: [{ variable: 'temperature', operator: 'lt', value: 6 }] },
  for: 600,
  maxGap: 3600,
};
const alertRule = {
  id: alertRuleId,
  organizationId,
  applicationId,
  name: 'Too warm',
  severity: 'critical',
  ...decision,
  disabled: false,
  recipients: ['office@waterworks.example'],
  createdAt,
  updatedAt,
};
const opening = {
  recordId: '019aa0de-7c00-7000-8000-00000000a015',
  ts: 1_795_000_000.25,
  values: { temperature: 21.5 },
};
const episode = {
  id: '019aa0de-7c00-7000-8000-00000000a014',
  organizationId,
  applicationId,
  alertRuleId,
  name: alertRule.name,
  severity: alertRule.severity,
  deviceId,
  openedAt: '2026-11-18T12:26:40.250Z',
  openedBy: opening,
};

/** Example of each type of the alerts area, by type name. */
export const alertExamples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  AlertRule: alertRule,
  Episode: episode,
  AcknowledgedEpisodes: { count: 3, hasMore: false },
  AlertRulePreview: {
    from: '2026-11-11T12:30:00.000Z',
    to: '2026-11-18T12:30:00.000Z',
    episodeCount: 1,
    deviceCount: 1,
    devicesRead: 40,
    recordsRead: 80_000,
    isComplete: true,
    episodes: [{ deviceId, openedAt: episode.openedAt, openedBy: opening }],
  },
};

/** Example bodies of operations whose answers do not show the body's fields, by operation. */
export const bodyExamples: Readonly<Record<string, object>> = {
  previewAlertRule: decision,
  acknowledgeEpisodes: { state: 'open', severity: 'critical' },
};
