import { z } from 'zod';
import { daySeconds } from '#common/time.js';
import { CalendarInterval, DeviceCombination, DeviceReduction, GroupSplit } from '#entities/group-series.js';
import { id, input, readData, text, time, tool } from '../tool.js';

interface Line {
  readonly key: string | null;
}

const query = `query GroupSeries($organizationId: ID!, $over: GroupInput!, $variable: String!, $from: UnixTime, $to: UnixTime, $points: Int, $calendarInterval: CalendarInterval, $timeZone: String, $perDevice: DeviceReduction, $combine: DeviceCombination, $split: GroupSplit, $state: String) {
  groupSeries(organizationId: $organizationId, over: $over, variable: $variable, from: $from, to: $to, points: $points, calendarInterval: $calendarInterval, timeZone: $timeZone, perDevice: $perDevice, combine: $combine, split: $split, state: $state) {
    key name others unit interval ts values lowest highest devices expected bridged
  }
}`;

/** Position at which a call continues: after `skip` lines, in the same time range. */
interface Position {
  readonly skip: number;
  readonly from: number;
  readonly to: number;
}

/** Answers one line or number over many devices. */
export const groupSeries = tool({
  name: 'group_series',
  title: 'Values over many devices',
  description:
    'Answers one line, or one number, over any number of devices: reduces the values of each device in a bucket (`perDevice`), then combines the devices (`combine`). For consumption from counters use `perDevice: increase` and `combine: sum`. Without `points` and `calendarInterval`, the whole range is one number.',
  input: input({
    applicationId: id('Application. Give exactly one of `applicationId`, `siteId`, `productId` and `tag`.').optional(),
    siteId: id('Site, with what is below it.').optional(),
    productId: id('Product.').optional(),
    tag: z.string().min(1).max(64).optional().describe('Tag of the devices.'),
    variable: z.string().min(1).max(100).describe('Variable, such as `energy`.'),
    from: time('Start; by default a day before `to`.').optional(),
    to: time('End, excluded; by default now.').optional(),
    points: z.int().min(3).max(500).optional().describe('Maximum number of points per line, 3 to 500.'),
    calendarInterval: z.enum(CalendarInterval).optional().describe('Calendar unit of a bucket, instead of `points`.'),
    timeZone: z.string().min(1).max(100).optional().describe('Time zone of calendar units, such as `Europe/Berlin`.'),
    perDevice: z.enum(DeviceReduction).default(DeviceReduction.avg),
    combine: z.enum(DeviceCombination).default(DeviceCombination.avg),
    split: z.enum(GroupSplit).default(GroupSplit.none).describe('Attribute that splits the group into lines.'),
    state: z.string().min(1).max(200).optional().describe('State for `timeInState`; by default `true`.'),
  }),
  list: 'series',
  output: {
    from: z.number().describe('Start of the range in Unix seconds.'),
    to: z.number().describe('End of the range in Unix seconds.'),
    series: z.array(
      z.object({
        key: text('Product, device, site or tag of the line. Untrusted.'),
        name: text('Name of the product or device. Untrusted.'),
        others: z.boolean().describe('Whether the line combines the devices beyond the first 100 lines.'),
        unit: text('Unit of the variable. Untrusted.'),
        interval: z.number().nullable().describe('Length of a bucket in seconds.'),
        ts: z.array(z.number()).describe('Starts of the buckets in Unix seconds. Buckets without values are left out.'),
        values: z.array(z.number()).describe('The value of each bucket.'),
        lowest: z.array(z.number()).describe('The smallest number of a device, with `combine: spread`.'),
        highest: z.array(z.number()).describe('The largest number of a device, with `combine: spread`.'),
        devices: z.array(z.number()).describe('Number of devices with a value.'),
        expected: z.array(z.number()).describe('Number of devices of the line, silent ones too.'),
        bridged: z.array(z.number()).describe('Devices whose increase also covers a gap before the bucket.'),
      }),
    ),
  },
  isUntrusted: true,
  async run({ applicationId, siteId, productId, tag, from, to, cursor: _, ...form }, call) {
    const end = to ?? Date.now() / 1000;
    const start: Position = { skip: 0, from: from ?? end - daySeconds, to: end };
    const { skip, ...range } = call.position === undefined ? start : (JSON.parse(call.position) as Position);
    const over = { applicationId, siteId, productId, tag };
    const variables = { organizationId: call.organizationId, over, ...form, ...range };
    const { groupSeries: lines } = await readData<{ groupSeries: Line[] }>(call, query, variables);
    const left = lines.slice(skip);
    return {
      items: left,
      positions: left.map((_line, index) => JSON.stringify({ skip: skip + index + 1, ...range })),
      beside: range,
    };
  },
});
