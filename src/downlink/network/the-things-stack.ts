import { type Dialect, pathOf } from './dialect.js';

/** Beginning of the correlation ids that commands get at The Things Stack. */
const prefix = 'ddp:command:';

/** Returns the correlation id of a command. The Things Stack repeats it in all events about the command. */
const correlationId = (commandId: string): string => `${prefix}${commandId}`;

const down = (application: string, device: string) =>
  pathOf('api', 'v3', 'as', 'applications', application, 'devices', device, 'down');

/** A device that no application has: the server checks the key before it looks for the device. */
const noDevice = 'ddp-test';

/** The Things Stack 3 (`ApplicationServer`, `applicationserver.proto`). */
export const theThingsStack: Dialect = {
  push: (application, device, { id, payload, port, confirmed }) => ({
    method: 'POST',
    path: `${down(application, device)}/push`,
    body: {
      downlinks: [
        {
          frm_payload: payload.toString('base64'),
          f_port: port,
          confirmed,
          priority: 'NORMAL',
          correlation_ids: [correlationId(id)],
        },
      ],
    },
  }),
  itemOf: () => undefined,
  listQueue: (application, device) => ({ method: 'GET', path: down(application, device) }),
  isQueued: (answer, commandId) => JSON.stringify(answer).includes(`"${correlationId(commandId)}"`),
  // Pushes nothing, for which the key needs the same right.
  test: (application, device = noDevice) => ({
    method: 'POST',
    path: `${down(application, device)}/push`,
    body: { downlinks: [] },
  }),
  isTaken: (status, body) => (status >= 200 && status < 300) || (status === 404 && body.includes('device_not_found')),
};
