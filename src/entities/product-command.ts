import { Field, Int, ObjectType } from 'type-graphql';
import type { Fault } from '#common/errors.js';
import { StreamType, VariableType } from './enums.js';

/** Name of commands that no product declares. */
export const rawCommand = 'raw';

@ObjectType({ description: 'A parameter of a command.' })
export class CommandParameter {
  @Field(() => String, { description: 'Name.' }) name!: string;
  @Field(() => VariableType, { description: 'Type of the values.' }) type!: VariableType;
  @Field(() => String, { nullable: true, description: 'Unit of the values.' }) unit?: string | null;
}

/** A command that devices of a product understand. */
@ObjectType({ description: 'A command that devices of a product understand.' })
export class CommandDeclaration {
  @Field(() => String, { description: 'Name.' }) name!: string;
  @Field(() => [CommandParameter], { description: 'Parameters, in the order of their bytes.' })
  parameters!: CommandParameter[];
  @Field(() => Int, {
    nullable: true,
    description: 'Stream (LoRaWAN: port) of the bytes; null if devices take no bytes.',
  })
  streamId?: number | null;
  @Field(() => StreamType, { nullable: true, description: 'Layout of the bytes.' }) streamType?: StreamType | null;
  @Field(() => Boolean, { description: 'Whether the network asks the device to confirm it.' }) confirmed!: boolean;
  @Field(() => Boolean, { description: 'Whether only those who may send it see parameters and payload.' })
  secret!: boolean;
}

/** A part of the state of devices. */
@ObjectType({ description: 'A part of the state that devices of a product have.' })
export class StateDeclaration {
  @Field(() => String, { description: 'Name.' }) name!: string;
  @Field(() => VariableType, { description: 'Type of the values.' }) type!: VariableType;
  @Field(() => String, { nullable: true, description: 'Unit of the values.' }) unit?: string | null;
}

/** A declared command as it is sent. */
export interface SentCommandDeclaration {
  name: string;
  parameters?: readonly CommandParameter[] | null;
  streamId?: number | null;
  streamType?: StreamType | null;
  confirmed?: boolean | null;
  secret?: boolean | null;
}

/** Returns declared commands as they are stored. */
export const storedCommands = (commands: readonly SentCommandDeclaration[]): CommandDeclaration[] =>
  commands.map(({ name, parameters, streamId, streamType, confirmed, secret }) => ({
    name,
    parameters: (parameters ?? []).map(({ unit, ...one }) => ({ ...one, ...(unit && { unit }) })),
    ...(streamId != null && { streamId }),
    ...(streamType != null && { streamType }),
    confirmed: confirmed ?? false,
    secret: secret ?? false,
  }));

/**
 * Returns faults of declared commands and states taken together: a repeated or reserved name, a stream without a layout
 * or the reverse, bytes that the layout cannot hold.
 */
export function downlinkFaults({
  commands = [],
  state = [],
}: {
  commands?: readonly SentCommandDeclaration[] | null | undefined;
  state?: readonly { name: string }[] | null | undefined;
}): Fault[] {
  const names = new Set<string>();
  return [
    ...(commands ?? []).flatMap((command, index) => commandFaults(command, `settings.commands.${index}`, names)),
    ...repeated(state ?? [], 'settings.state', 'a part of the state above has this name'),
  ];
}

function commandFaults(command: SentCommandDeclaration, at: string, names: Set<string>): Fault[] {
  const { name, parameters, streamId, streamType } = command;
  const list = parameters ?? [];
  const faults = repeated(list, `${at}.parameters`, 'a parameter above has this name');
  if (name === rawCommand)
    faults.push({ path: `${at}.name`, message: `is kept for commands that no product declares` });
  else if (names.has(name)) faults.push({ path: `${at}.name`, message: 'a command above has this name' });
  names.add(name);
  if ((streamId == null) !== (streamType == null))
    faults.push({ path: `${at}.streamType`, message: 'must be given together with streamId' });
  if (streamType === StreamType.RAW)
    for (const [place, { type }] of list.entries())
      if (type === VariableType.TXT && place < list.length - 1)
        faults.push({
          path: `${at}.parameters.${place}.type`,
          message: 'in a RAW stream only the last one may be a TXT',
        });
  return faults;
}

const repeated = (list: readonly { name: string }[], at: string, message: string): Fault[] => {
  const seen = new Set<string>();
  return list.flatMap(({ name }, index) =>
    seen.has(name) || !seen.add(name) ? [{ path: `${at}.${index}.name`, message }] : [],
  );
};
