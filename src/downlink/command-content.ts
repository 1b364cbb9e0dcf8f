import { type Fault, invalid } from '#common/errors.js';
import { type CommandDeclaration, rawCommand } from '#entities/product-command.js';
import type { NewCommand } from './command-rows.js';
import { EncodingError, encode, parameterFaults } from './encode.js';

/** A command as its sender describes it. */
export interface SentCommand {
  name: string;
  parameters?: Record<string, unknown> | null;
  payload?: string | null;
  streamId?: number | null;
  confirmed?: boolean | null;
  /** Unix seconds. */
  expiresAt?: number | null;
}

/** Maximum and usual time until a command expires, in seconds. */
const lifetime = { most: 30 * 86_400, usual: 86_400 };

/**
 * Returns the seconds until a command expires.
 * @param now milliseconds since the epoch
 * @throws invalid (422) for a time that has passed, or is too far ahead
 */
export function lifetimeOf({ expiresAt }: SentCommand, now: number): number {
  const seconds = expiresAt == null ? lifetime.usual : expiresAt - now / 1000;
  if (seconds <= 0 || seconds > lifetime.most)
    throw invalid([{ path: 'expiresAt', message: 'must be in the future, at most 30 days ahead' }]);
  return seconds;
}

/** The part of a command that the product decides with its sender. */
export type CommandContent = Pick<
  NewCommand,
  'name' | 'parameters' | 'payload' | 'streamId' | 'streamType' | 'confirmed' | 'secret'
>;

/**
 * Reads the content of a command to a device whose product declares these.
 * @throws invalid (422) for a command that is not declared, or wrong parameters
 */
export function readContent(sent: SentCommand, commands: readonly CommandDeclaration[]): CommandContent {
  const { name, confirmed } = sent;
  const declared = commands.find((each) => each.name === name);
  if (declared === undefined && name !== rawCommand) throw invalid([unknownCommand(commands)]);
  return {
    name,
    ...(declared === undefined ? rawContent(sent) : declaredContent(declared, sent)),
    confirmed: confirmed ?? declared?.confirmed ?? false,
    secret: declared?.secret ?? false,
  };
}

type Content = Pick<NewCommand, 'parameters' | 'payload' | 'streamId' | 'streamType'>;

const unknownCommand = (commands: readonly CommandDeclaration[]): Fault => ({
  path: 'name',
  message: `is not declared by the product of the device (declared: ${commands.map(({ name }) => name).join(', ') || 'none'}); a command named "raw" takes a payload`,
});

function rawContent({ parameters, payload, streamId }: SentCommand): Content {
  const faults: Fault[] = [];
  if (parameters != null) faults.push({ path: 'parameters', message: 'a raw command has a payload only' });
  if (!payload) faults.push({ path: 'payload', message: 'is required for a raw command' });
  else if (!/^([0-9a-f]{2})+$/i.test(payload))
    faults.push({ path: 'payload', message: 'must be bytes in hexadecimal' });
  if (faults.length > 0) throw invalid(faults);
  return { parameters: null, payload: Buffer.from(payload!, 'hex'), streamId: streamId ?? 1, streamType: null };
}

function declaredContent(declared: CommandDeclaration, { parameters, payload, streamId }: SentCommand): Content {
  const values = parameters ?? {};
  const faults = parameterFaults(declared.parameters, values);
  if (payload) faults.push({ path: 'payload', message: 'only a raw command has a payload' });
  if (streamId != null) faults.push({ path: 'streamId', message: 'only a raw command takes one' });
  if (faults.length > 0) throw invalid(faults);
  const { streamType = null } = declared;
  return {
    parameters: values,
    payload: streamType == null ? null : encoded(streamType, declared, values),
    streamId: declared.streamId ?? null,
    streamType,
  };
}

function encoded(
  streamType: NonNullable<CommandDeclaration['streamType']>,
  { parameters }: CommandDeclaration,
  values: Record<string, unknown>,
): Buffer {
  try {
    return encode(streamType, parameters, values);
  } catch (error) {
    if (error instanceof EncodingError)
      throw invalid([{ path: `parameters.${error.parameter}`, message: error.message }]);
    throw error;
  }
}
