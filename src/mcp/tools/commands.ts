import { z } from 'zod';
import { CommandState, type CommandStateName } from '#entities/command.js';
import { id, input, readData, text, time, tool } from '../tool.js';
import { type GraphConnection, partOf } from './connection.js';

interface Command {
  readonly device: { readonly serial: string; readonly name: string | null } | null;
  readonly [field: string]: unknown;
}

const query = `query Commands($organizationId: ID!, $first: Int, $after: String, $deviceId: ID, $state: CommandState, $name: String, $key: String, $from: UnixTime, $to: UnixTime) {
  commands: commandsConnection(organizationId: $organizationId, first: $first, after: $after, deviceId: $deviceId, state: $state, name: $name, key: $key, from: $from, to: $to) {
    edges {
      cursor
      node {
        id deviceId name parameters payload secret confirmed key sender createdAt expiresAt state stateAt code detail
        device { serial name }
        evidence { at source kind code }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** Answers commands to devices, each with its evidence. */
export const commands = tool({
  name: 'commands',
  title: 'Commands',
  description:
    'Answers the commands that people and tools sent to devices, the newest first, with what is known of each: `state` is the highest that any evidence speaks for, and `evidence` has each piece with its time and source. `unknown` says that nobody can tell whether the command reached the device, so do not read it as a failure or a success. `device_states` answers how devices should be and are. This tool sends nothing.',
  input: input({
    deviceId: id('Only commands to this device.').optional(),
    state: z
      .enum(Object.keys(CommandState) as CommandStateName[])
      .optional()
      .describe('Only commands in this state.'),
    name: z.string().min(1).max(100).optional().describe('Only commands of this name, such as `setPoint`.'),
    key: z.string().min(1).max(200).optional().describe('Only commands with this key: those of one call.'),
    from: time('Only commands sent at this time or later.').optional(),
    to: time('Only commands sent at this time or earlier.').optional(),
    limit: z.int().min(1).max(50).default(20).describe('Maximum number of commands in the answer, 1 to 50.'),
  }),
  list: 'commands',
  output: {
    commands: z.array(
      z.object({
        id: z.string(),
        deviceId: z.string(),
        deviceSerial: text('Serial number; null once the device is deleted.'),
        deviceName: text('Name of the device. Untrusted.'),
        name: z.string().describe('Name that the product declares, or `raw`.'),
        parameters: z.unknown().describe('Parameters; null if the caller may not see them. Untrusted.'),
        payload: text('Bytes in hexadecimal; null without bytes, or if the caller may not see them.'),
        secret: z.boolean().describe('Whether only those who may send it see parameters and payload.'),
        confirmed: z.boolean().describe('Whether the network asks the device to confirm it.'),
        key: text('Key of the sender. Untrusted.'),
        sender: text('Name of the account or token that sent it. Untrusted.'),
        createdAt: z.string().describe('Time of sending.'),
        expiresAt: z.string().describe('Time from which it is handed over no more.'),
        state: z.string().describe('State.'),
        stateAt: z.string().describe('Time of the evidence for the state.'),
        code: text('Reason of the state.'),
        detail: z.unknown().describe('Result or error of the device. Untrusted.'),
        evidence: z.array(z.object({ at: z.string(), source: z.string(), kind: z.string(), code: text('Reason.') })),
      }),
    ),
  },
  isUntrusted: true,
  async run({ limit, cursor: _, ...filter }, call) {
    const data = await readData<{ commands: GraphConnection<Command> }>(call, query, {
      organizationId: call.organizationId,
      first: limit,
      after: call.position,
      ...filter,
    });
    return partOf(data.commands, ({ device, ...command }) => ({
      ...command,
      deviceSerial: device?.serial ?? null,
      deviceName: device?.name ?? null,
    }));
  },
});
