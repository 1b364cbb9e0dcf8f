import { organizationId, teamId, tokenId, userId } from './example-id.js';

/** An example of each type of the audit log, by its name in the graph. */
export const auditExamples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  AuditEvent: {
    id: '019aa0de-7c00-7000-8000-00000000a016',
    organizationId,
    at: '2026-11-18T12:30:00.000Z',
    actor: { kind: 'token', actorId: tokenId, name: 'Console', userId, userName: 'Ada Byron' },
    action: 'updateTeam',
    target: { kind: 'team', targetId: teamId, name: 'Field Ops' },
    changes: [{ field: 'name', before: 'Field', after: 'Field Ops' }],
    outcome: 'success',
    requestId: '0a6d2c9e-3f0b-4a51-9f5c-3f1f6b1f7a10',
    address: '203.0.113.7',
  },
};

/** Filters of the audit log. */
export const auditParameters = { actor: userId, action: 'updateTeam', target: teamId, outcome: 'success' };
