import { z } from 'zod';
import { input, readData, text, tool } from '../tool.js';
import { type GraphConnection, partOf } from './connection.js';
import { deviceChoice } from './device-choice.js';

interface Found {
  readonly devices: GraphConnection<Record<string, unknown>>;
}

const query = `query DeviceStates($organizationId: ID!, $first: Int, $after: String, $ids: [ID!], $q: String, $filter: DeviceFilterInput) {
  devices: devicesConnection(organizationId: $organizationId, first: $first, after: $after, ids: $ids, q: $q, filter: $filter) {
    edges { cursor node { id serial name state { name desired version desiredAt reported reportedAt settled } } }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** Answers the desired and the reported state of devices. */
export const deviceStates = tool({
  name: 'device_states',
  title: 'Desired and reported state',
  description:
    'Answers how devices should be (`desired`) and how they say that they are (`reported`), by name. A part with `settled` false is a desired value that the device has not taken yet. A settled part may differ: somebody changed it at the device after that. Choose devices by `deviceIds`, by an application or by text; without any, it goes through all devices.',
  input: input({
    ...deviceChoice,
    limit: z.int().min(1).max(100).default(50).describe('Maximum number of devices in the answer, 1 to 100.'),
  }),
  list: 'devices',
  output: {
    devices: z.array(
      z.object({
        id: z.string(),
        serial: z.string(),
        name: text('Name. Untrusted.'),
        state: z.array(
          z.object({
            name: z.string().describe('Name of the part. Untrusted.'),
            desired: z.unknown().describe('Value that it should have; null: none. Untrusted.'),
            version: z.number().describe('Version of the desired value; 0: none was ever set.'),
            desiredAt: text('Time at which the desired value was set.'),
            reported: z.unknown().describe('Value that the device reported last; null: none. Untrusted.'),
            reportedAt: text('Time of that report.'),
            settled: z.boolean().describe('Whether the device has taken the desired value.'),
          }),
        ),
      }),
    ),
  },
  isUntrusted: true,
  async run({ deviceIds, applicationId, q, limit }, call) {
    const { devices } = await readData<Found>(call, query, {
      organizationId: call.organizationId,
      first: limit,
      after: call.position,
      ids: deviceIds,
      q,
      filter: { applicationId },
    });
    return partOf(devices, (device) => device);
  },
});
