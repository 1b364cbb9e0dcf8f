import { z } from 'zod';
import { input, readData, text, tool } from '../tool.js';
import { type GraphConnection, partOf } from './connection.js';
import { deviceChoice } from './device-choice.js';
import { unknownVariables } from './field-names.js';

interface Found {
  readonly devices: GraphConnection<Record<string, unknown> & { latest: { name: string }[] }>;
}

const query = `query LatestValues($organizationId: ID!, $first: Int, $after: String, $ids: [ID!], $q: String, $filter: DeviceFilterInput) {
  devices: devicesConnection(organizationId: $organizationId, first: $first, after: $after, ids: $ids, q: $q, filter: $filter) {
    edges { cursor node { id serial name latest { name value unit ts ahead } } }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** Answers the newest values of devices. */
export const latestValues = tool({
  name: 'latest_values',
  title: 'Latest values',
  description:
    'Answers the newest value of each variable of devices, with its unit and its time of measurement. Choose devices by `deviceIds`, by an application or by text; without any, it goes through all devices. Look at `ts`: a value may be old, and `ahead` says that its time is wrong.',
  input: input({
    ...deviceChoice,
    variables: z.array(z.string().max(100)).max(50).optional().describe('Only these variables, such as `temperature`.'),
    limit: z.int().min(1).max(200).default(50).describe('Maximum number of devices in the answer, 1 to 200.'),
  }),
  list: 'devices',
  output: {
    unknownVariables: unknownVariables('no device of this answer has'),
    devices: z.array(
      z.object({
        id: z.string(),
        serial: z.string(),
        name: text('Name. Untrusted.'),
        values: z.array(
          z.object({
            name: z.string().describe('Variable. Untrusted.'),
            value: z.unknown().describe('The value as it was sent. Untrusted.'),
            unit: text('Unit. Untrusted.'),
            ts: z.number().describe('Time of measurement in Unix seconds.'),
            ahead: z
              .number()
              .nullable()
              .describe("Seconds by which the device's clock was ahead when the value arrived; null: it was not."),
          }),
        ),
      }),
    ),
  },
  isUntrusted: true,
  async run({ deviceIds, applicationId, q, variables, limit }, call) {
    const { devices } = await readData<Found>(call, query, {
      organizationId: call.organizationId,
      first: limit,
      after: call.position,
      ids: deviceIds,
      q,
      filter: { applicationId },
    });
    const names = new Set(devices.edges.flatMap(({ node }) => node.latest.map(({ name }) => name)));
    const unknown = devices.edges.length === 0 ? [] : (variables ?? []).filter((name) => !names.has(name));
    const isWanted = ({ name }: { name: string }) => variables === undefined || variables.includes(name);
    return {
      ...partOf(devices, ({ latest, ...device }) => ({ ...device, values: latest.filter(isWanted) })),
      ...(unknown.length > 0 && { beside: { unknownVariables: unknown } }),
    };
  },
});
