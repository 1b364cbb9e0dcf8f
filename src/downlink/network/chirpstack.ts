import { type Dialect, pathOf } from './dialect.js';

/** ChirpStack 4 by its REST API (`chirpstack-rest-api`, `device.proto`). */
export const chirpStack: Dialect = {
  push: (_application, device, { payload, port, confirmed, expiresAt }) => ({
    method: 'POST',
    path: pathOf('api', 'devices', device, 'queue'),
    body: { queueItem: { confirmed, data: payload.toString('base64'), fPort: port, expiresAt } },
  }),
  itemOf(answer) {
    const id = typeof answer === 'object' && answer !== null && 'id' in answer ? answer.id : undefined;
    return typeof id === 'string' && id !== '' ? id.slice(0, 100) : undefined;
  },
  test: (application) => ({ method: 'GET', path: pathOf('api', 'applications', application) }),
  isTaken: (status) => status >= 200 && status < 300,
};
