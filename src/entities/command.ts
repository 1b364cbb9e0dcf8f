import { GraphQLDateTimeISO, GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { RestScalar } from './columns.js';
import { StreamType } from './enums.js';
import { Node } from './node.js';
import { words } from './text-enums.js';

/**
 * States of commands, from the least that can be known to the most. Evidence of a higher state outweighs evidence of a
 * lower one.
 */
export const CommandState = words(
  'waiting',
  'handed',
  'unknown',
  'expired',
  'cancelled',
  'failed',
  'transmitted',
  'received',
  'answered',
);

/** A state of a command. */
export type CommandStateName = keyof typeof CommandState;

registerEnumType(CommandState, {
  name: 'CommandState',
  description: 'State of a command. Each but `waiting` rests on evidence.',
  valuesConfig: {
    waiting: { description: 'Nothing took it yet.' },
    handed: { description: 'The network server accepted it, or it was written to the connection of the device.' },
    unknown: { description: 'Whether it reached the device cannot be known: an answer did not come.' },
    expired: { description: 'The time of the command was over before anything took it.' },
    cancelled: { description: 'Somebody cancelled it.' },
    failed: { description: 'The command cannot reach the device: `code` says why.' },
    transmitted: { description: 'The network says that it was sent over the air.' },
    received: { description: 'The device acknowledged that it came.' },
    answered: { description: 'The device answered with a result or an error.' },
  },
});

/** Kinds of evidence: the states that it speaks for, and what speaks for none. */
export const EvidenceKind = words(
  'handed',
  'unknown',
  'expired',
  'cancelled',
  'failed',
  'transmitted',
  'received',
  'answered',
  'noted',
);

/** A kind of evidence. */
export type EvidenceKindName = keyof typeof EvidenceKind;

registerEnumType(EvidenceKind, {
  name: 'EvidenceKind',
  description: 'Kind of evidence about a command: the state that it speaks for.',
  valuesConfig: { noted: { description: 'Something that changes no state, such as a delivery that is repeated.' } },
});

/** Sources of evidence. */
export const EvidenceSource = words('service', 'networkServer', 'device');

registerEnumType(EvidenceSource, { name: 'EvidenceSource', description: 'Source of evidence.' });

@ObjectType({ description: 'Evidence about a command.' })
export class CommandEvidence {
  @Field(() => GraphQLDateTimeISO, { description: 'Time at which it came.' }) at!: string;
  @RestScalar('String')
  @Field(() => EvidenceSource, { description: 'Source.' })
  source!: string;
  @RestScalar('String')
  @Field(() => EvidenceKind, { description: 'Kind: the state that it speaks for.' })
  kind!: EvidenceKindName;
  @Field(() => String, { nullable: true, description: 'Reason, in capitals.' }) code?: string | null;
  @Field(() => GraphQLJSON, { nullable: true, description: 'Details, such as the result of the device.' })
  detail?: unknown;
}

@ObjectType({ implements: Node, description: 'A command to a device.' })
export class Command {
  @Field(() => ID, { description: 'Identifier. The device gets it with the command.' }) id!: string;
  @Field(() => ID, { description: 'Organization of the device.' }) organizationId!: string;
  @Field(() => ID, { description: 'Device, which may be deleted.' }) deviceId!: string;
  @Field(() => String, { description: 'Name of a command that the product declares, or `raw`.' }) name!: string;
  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'Parameters by name; null for a raw command, and for those who may not see a secret one.',
  })
  parameters?: Readonly<Record<string, unknown>> | null;
  @Field(() => String, {
    nullable: true,
    description: 'Bytes in hexadecimal; null without bytes, and for those who may not see a secret command.',
  })
  payload?: string | null;
  @Field(() => Int, { nullable: true, description: 'Stream (LoRaWAN: port) of the bytes.' }) streamId?: number | null;
  @Field(() => StreamType, { nullable: true, description: 'Layout of the bytes.' }) streamType?: StreamType | null;
  @Field(() => Boolean, { description: 'Whether the network asks the device to confirm it.' }) confirmed!: boolean;
  @Field(() => Boolean, { description: 'Whether only those who may send it see parameters and payload.' })
  secret!: boolean;
  @Field(() => String, { nullable: true, description: 'Key of the sender, unique for the device.' }) key?:
    | string
    | null;
  @Field(() => String, { nullable: true, description: 'Name of the account or token that sent it.' })
  sender?: string | null;
  @Field(() => GraphQLDateTimeISO, { description: 'Time at which it was sent.' }) createdAt!: string;
  @Field(() => GraphQLDateTimeISO, { description: 'Time from which it is handed over no more.' }) expiresAt!: string;
  @RestScalar('String')
  @Field(() => CommandState, { description: 'State: the highest that any evidence speaks for.' })
  state!: CommandStateName;
  @Field(() => String, { nullable: true, description: 'Reason of the state, in capitals.' }) code?: string | null;
  @Field(() => GraphQLJSON, { nullable: true, description: 'Result or error of the device, once it has answered.' })
  detail?: unknown;
  @Field(() => GraphQLDateTimeISO, { description: 'Time of the evidence for the state.' }) stateAt!: string;
}

@ObjectType({ description: 'A command as its device gets it.' })
export class HandedCommand {
  @Field(() => ID, { description: 'Identifier, which the device names in its answer.' }) id!: string;
  @Field(() => String, { description: 'Name of a command that the product declares, or `raw`.' }) name!: string;
  @Field(() => GraphQLJSONObject, { nullable: true, description: 'Parameters by name.' })
  parameters?: Readonly<Record<string, unknown>> | null;
  @Field(() => String, { nullable: true, description: 'Bytes in hexadecimal.' }) payload?: string | null;
  @Field(() => Int, { nullable: true, description: 'Stream of the bytes.' }) streamId?: number | null;
  @Field(() => GraphQLDateTimeISO, { description: 'Time from which the device should ignore it.' }) expiresAt!: string;
}

@ObjectType({ description: 'Commands that are handed to a device, in the order in which they were sent.' })
export class HandedCommands {
  @Field(() => [HandedCommand], {
    description: 'The commands. The device answers each, or gets it again after a minute.',
  })
  commands!: HandedCommand[];
}

@ObjectType({ description: 'A command that its device has answered.' })
export class AnsweredCommand {
  @Field(() => ID, { description: 'Identifier of the command.' }) commandId!: string;
  @RestScalar('String')
  @Field(() => CommandState, { description: 'State: the highest that any evidence speaks for.' })
  state!: CommandStateName;
}

@ObjectType({ description: 'The effect of a cancellation.' })
export class CancelledCommands {
  @Field(() => Int, { description: 'Number of commands that nothing had taken yet, or whose fate was not known.' })
  count!: number;
}
