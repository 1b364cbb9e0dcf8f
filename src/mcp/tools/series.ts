import { z } from 'zod';
import { daySeconds } from '#common/time.js';
import { id, input, readData, type ToolCall, text, time, tool } from '../tool.js';
import { unknownVariables } from './field-names.js';

interface Line {
  readonly name: string;
  readonly ts: readonly number[];
  readonly deviceId: string;
  readonly device: { readonly serial: string; readonly name: string | null } | null;
}

const query = `query Series($organizationId: ID!, $applicationId: ID, $deviceIds: [ID!], $variables: [String!]!, $from: UnixTime, $to: UnixTime, $points: Int!, $interval: Int, $function: SeriesFunction) {
  series(organizationId: $organizationId, applicationId: $applicationId, deviceIds: $deviceIds, variables: $variables, from: $from, to: $to, points: $points, interval: $interval, function: $function) {
    deviceId device { serial name } name unit interval ts values
  }
}`;

const latest = `query Latest($organizationId: ID!, $applicationId: ID, $deviceIds: [ID!]) {
  latest(organizationId: $organizationId, applicationId: $applicationId, deviceIds: $deviceIds) { values { name } }
}`;

/** Position at which a call continues: after `skip` lines, in the same time range. */
interface Position {
  readonly skip: number;
  readonly from: number;
  readonly to: number;
}

/** Answers charts: variables over time. */
export const series = tool({
  name: 'series',
  title: 'Values over time',
  description:
    'Answers one line per device and variable: numbers over time, reduced to buckets by a function (`avg`, `min`, `max`, `sum`, `count`, `first`, `last`) or to the points that keep the shape (`lttb`). To find extremes over many devices, `search_records` with an aggregation is shorter.',
  input: input({
    deviceIds: z.array(id('Device.')).min(1).max(100).optional().describe('Devices. Give these or `applicationId`.'),
    applicationId: id('Application, for a line of each of its devices, at most 100.').optional(),
    variables: z.array(z.string().min(1).max(100)).min(1).max(20).describe('Variables, such as `temperature`.'),
    from: time('Start; by default a day before `to`.').optional(),
    to: time('End; by default now.').optional(),
    points: z.int().min(3).max(500).default(100).describe('Maximum number of points per line, 3 to 500.'),
    interval: z.int().min(1).optional().describe('Length of a bucket in seconds, instead of `points`.'),
    function: z.enum(['avg', 'count', 'first', 'last', 'lttb', 'max', 'min', 'sum']).default('avg'),
  }),
  list: 'series',
  output: {
    from: z.number().describe('Start of the range in Unix seconds.'),
    to: z.number().describe('End of the range in Unix seconds.'),
    unknownVariables: unknownVariables('have no value in this range, and that no device has among its newest values'),
    series: z.array(
      z.object({
        deviceId: z.string(),
        serial: z.string().nullable(),
        deviceName: text('Name of the device. Untrusted.'),
        name: z.string().describe('Variable.'),
        unit: text('Unit. Untrusted.'),
        interval: z.number().nullable().describe('Length of a bucket in seconds.'),
        ts: z.array(z.number()).describe('Times in Unix seconds. Buckets without values are left out.'),
        values: z.array(z.number()).describe('The value at each of the times.'),
      }),
    ),
  },
  isUntrusted: true,
  async run({ from, to, cursor: _, ...args }, call) {
    const end = to ?? Date.now() / 1000;
    const start: Position = { skip: 0, from: from ?? end - daySeconds, to: end };
    const { skip, ...range } = call.position === undefined ? start : (JSON.parse(call.position) as Position);
    const variables = { organizationId: call.organizationId, ...args, ...range };
    const { series: lines } = await readData<{ series: Line[] }>(call, query, variables);
    const left = lines.slice(skip);
    const found = new Set(lines.filter(({ ts }) => ts.length > 0).map(({ name }) => name));
    const missing = skip > 0 || lines.length === 0 ? [] : args.variables.filter((name) => !found.has(name));
    const unknown = missing.length === 0 ? [] : await unknownAmong(missing, args, call);
    return {
      items: left.map(({ device, deviceId, ...line }) => ({
        deviceId,
        serial: device?.serial ?? null,
        deviceName: device?.name ?? null,
        ...line,
      })),
      positions: left.map((_line, index) => JSON.stringify({ skip: skip + index + 1, ...range })),
      beside: { ...range, ...(unknown.length > 0 && { unknownVariables: unknown }) },
    };
  },
});

/** Returns the names that no device has among its newest values, which may be texts or older than the range. */
async function unknownAmong(
  names: readonly string[],
  { applicationId, deviceIds }: { applicationId?: string | undefined; deviceIds?: string[] | undefined },
  call: ToolCall,
): Promise<string[]> {
  const variables = { organizationId: call.organizationId, applicationId, deviceIds };
  const { latest: devices } = await readData<{ latest: { values: { name: string }[] }[] }>(call, latest, variables);
  const known = new Set(devices.flatMap(({ values }) => values.map(({ name }) => name)));
  return names.filter((name) => !known.has(name));
}
