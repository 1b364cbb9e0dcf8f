import { commandId, createdAt, deviceId, networkServerId, organizationId, serial, updatedAt } from './example-id.js';

const expiresAt = '2026-11-21T12:00:00.000Z';
const networkServer = {
  name: 'Roof',
  address: 'https://eu1.cloud.thethings.network',
  application: 'pumps',
};
const apiKey = 'NNSXS.EXAMPLE';
const content = { name: 'raw', payload: '0a0b' };

/** Examples of answers about commands and the state of devices, by type. */
export const commandExamples = {
  Command: {
    id: commandId,
    organizationId,
    deviceId,
    ...content,
    streamId: 1,
    confirmed: false,
    secret: false,
    createdAt,
    expiresAt,
    state: 'answered',
    detail: { result: { was: 19 } },
    stateAt: updatedAt,
  },
  NetworkServer: {
    id: networkServerId,
    organizationId,
    kind: 'THE_THINGS_STACK',
    ...networkServer,
    proposed: false,
    createdAt,
    updatedAt,
  },
  NetworkServerTest: { ok: true, message: 'The server takes commands.', statusCode: 200 },
  CommandEvidences: {
    evidence: [{ at: updatedAt, source: 'device', kind: 'answered', detail: { result: { was: 19 } } }],
  },
  HandedCommands: { commands: [{ id: commandId, ...content, streamId: 1, expiresAt }] },
  AnsweredCommand: { commandId, state: 'answered' },
  CancelledCommands: { count: 1 },
  DeviceStates: {
    state: [
      {
        name: 'setPoint',
        desired: 21.5,
        version: 1,
        desiredAt: createdAt,
        reported: 21.5,
        reportedAt: updatedAt,
        settled: true,
      },
    ],
  },
};

/** Examples of bodies about commands and the state of devices, by operation. */
export const commandBodies = {
  createNetworkServer: { kind: 'THE_THINGS_STACK', ...networkServer, apiKey },
  updateNetworkServer: { ...networkServer, apiKey },
  sendCommand: content,
  sendCommands: { ...content, serials: [serial] },
  answerCommand: { result: { was: 19 } },
  cancelCommands: { ids: [commandId] },
  setDesiredState: { desired: { setPoint: 21.5 } },
  reportState: { reported: { setPoint: 21.5 }, versions: { setPoint: 1 } },
};
