import sql from 'sql-template-tag';
import { conflict, type Fault, invalid } from '#common/errors.js';
import type { NewCommand } from '#downlink/command-rows.js';
import { EncodingError, encode, parameterFaults } from '#downlink/encode.js';
import type { Device } from '#entities/device.js';
import { newId } from '#entities/id.js';
import { type CommandDeclaration, rawCommand } from '#entities/product-command.js';
import type { StoredSettings } from '#entities/product-settings.js';
import type { Context } from '#schema/context.js';
import type { SendCommandArgs } from './command.args.js';

/** Maximum and usual time until a command expires, in seconds. */
const lifetime = { most: 30 * 86_400, usual: 86_400 };

/** Returns the settings of a device's product; empty without one. They are the owner's where the product is public. */
export const settingsOf = async (ctx: Context, { productId }: Pick<Device, 'productId'>): Promise<StoredSettings> => {
  if (productId == null) return {};
  const [row] = await ctx.read<{ settings: StoredSettings }>(sql`
    select case when p.withdrawn is null or p.organization_id = ${ctx.caller.organizationId} then p.settings
                else coalesce(p.withdrawn -> 'settings', '{}') end as settings
      from product p where p.id = ${productId}`);
  return row?.settings ?? {};
};

/**
 * Reads a command to a device.
 * @param now milliseconds since the epoch
 * @throws invalid (422) for a command that the product does not declare, or wrong parameters
 */
export async function readCommand(
  ctx: Context,
  device: Device,
  args: SendCommandArgs,
  now: number,
): Promise<NewCommand> {
  const { name, expiresAt, key, confirmed } = args;
  const seconds = expiresAt == null ? lifetime.usual : expiresAt - now / 1000;
  if (seconds <= 0 || seconds > lifetime.most)
    throw invalid([{ path: 'expiresAt', message: 'must be in the future, at most 30 days ahead' }]);
  const { commands = [] } = await settingsOf(ctx, device);
  const declared = commands.find((each) => each.name === name);
  if (declared === undefined && name !== rawCommand) throw invalid([unknownCommand(commands)]);
  const { caller } = ctx;
  return {
    id: newId(),
    organizationId: device.organizationId,
    deviceId: device.id,
    productId: declared === undefined ? null : device.productId!,
    name,
    ...(declared === undefined ? rawContent(args) : declaredContent(declared, args)),
    confirmed: confirmed ?? declared?.confirmed ?? false,
    secret: declared?.secret ?? false,
    key: key || null,
    sentBy: caller.userId,
    sender: caller.userName ?? caller.tokenName,
    lifetime: seconds,
  };
}

type Content = Pick<NewCommand, 'parameters' | 'payload' | 'streamId' | 'streamType'>;

const unknownCommand = (commands: readonly CommandDeclaration[]): Fault => ({
  path: 'name',
  message: `is not declared by the product of the device (declared: ${commands.map(({ name }) => name).join(', ') || 'none'}); a command named "raw" takes a payload`,
});

function rawContent({ parameters, payload, streamId }: SendCommandArgs): Content {
  const faults: Fault[] = [];
  if (parameters != null) faults.push({ path: 'parameters', message: 'a raw command has a payload only' });
  if (!payload) faults.push({ path: 'payload', message: 'is required for a raw command' });
  else if (!/^([0-9a-f]{2})+$/i.test(payload))
    faults.push({ path: 'payload', message: 'must be bytes in hexadecimal' });
  if (faults.length > 0) throw invalid(faults);
  return { parameters: null, payload: Buffer.from(payload!, 'hex'), streamId: streamId ?? 1, streamType: null };
}

function declaredContent(declared: CommandDeclaration, { parameters, payload, streamId }: SendCommandArgs): Content {
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

/** A stored command as far as it is compared with a new one of the same key. */
export interface SameKey {
  id: string;
  name: string;
  parameters: unknown;
  payload: Buffer | null;
  streamId: number | null;
}

/** @throws conflict (409) if a stored command with the same key is not the same as a new one */
export function requireSame(stored: SameKey, { name, parameters, payload, streamId }: NewCommand): void {
  const isSame =
    stored.name === name &&
    stored.streamId === streamId &&
    sorted(stored.parameters) === sorted(parameters) &&
    Buffer.compare(stored.payload ?? Buffer.alloc(0), payload ?? Buffer.alloc(0)) === 0;
  if (!isSame) throw conflict('This key belongs to another command to this device.');
}

const sorted = (values: unknown): string =>
  JSON.stringify(Object.entries((values ?? {}) as object).sort(([one], [other]) => (one < other ? -1 : 1)));
