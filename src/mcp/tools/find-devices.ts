import { z } from 'zod';
import { id, input, readData, text, time, tool } from '../tool.js';
import { type GraphConnection, partOf } from './connection.js';

interface Found {
  readonly devices: GraphConnection<Record<string, unknown> & { applications: { items: unknown[] } }>;
}

const query = `query FindDevices($organizationId: ID!, $first: Int, $after: String, $q: String, $filter: DeviceFilterInput) {
  devices: devicesConnection(organizationId: $organizationId, first: $first, after: $after, q: $q, filter: $filter) {
    edges {
      cursor
      node {
        id serial name tags lastRecordAt location { lat lon }
        product { id name }
        applications(limit: 10) { items { id name } }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}`;

const named = z.object({ id: z.string(), name: z.string() });

/** Finds devices and says where their records are. */
export const findDevices = tool({
  name: 'find_devices',
  title: 'Find devices',
  description:
    'Finds devices of the organization by text, application, product, tag, place or silence. Call it first: other tools take the `id` of a device and of its applications. Answers each device with its product, its applications and the time of its newest record.',
  input: input({
    q: z
      .string()
      .max(256)
      .optional()
      .describe('Regular expression, regardless of case, that the name, serial number or a tag matches: `freez`.'),
    applicationId: id('Only devices linked to this application.').optional(),
    productIds: z.array(id('Product.')).max(100).optional().describe('Only devices of one of these products.'),
    tag: z.string().max(100).optional().describe('Only devices with this tag.'),
    silentSince: time('Only devices without a record since this time.').optional(),
    near: z
      .strictObject({ lat: z.number(), lon: z.number(), radius: z.number().describe('Metres.') })
      .optional()
      .describe('Only devices within this circle.'),
    limit: z.int().min(1).max(200).default(50).describe('Maximum number of devices in the answer, 1 to 200.'),
  }),
  list: 'devices',
  output: {
    devices: z.array(
      z.object({
        id: z.string().describe('Identifier, for other tools.'),
        serial: z.string(),
        name: text('Name. Untrusted.'),
        tags: z.array(z.string()).describe('Tags. Untrusted.'),
        product: named.nullable().describe('Product, which declares the variables. Its name is untrusted.'),
        applications: z.array(named).describe('Applications, at most 10. Their names are untrusted.'),
        lastRecordAt: text('Time of the newest record; of its arrival if its own time is ahead of that.'),
        location: z.object({ lat: z.number(), lon: z.number() }).nullable(),
      }),
    ),
  },
  isUntrusted: true,
  async run({ limit, q, cursor: _, ...filter }, call) {
    const variables = { organizationId: call.organizationId, first: limit, after: call.position, q, filter };
    const { devices } = await readData<Found>(call, query, variables);
    return partOf(devices, ({ applications: { items }, ...device }) => ({ ...device, applications: items }));
  },
});
