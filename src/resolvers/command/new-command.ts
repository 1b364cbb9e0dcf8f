import sql from 'sql-template-tag';
import { conflict } from '#common/errors.js';
import { lifetimeOf, readContent } from '#downlink/command-content.js';
import type { NewCommand } from '#downlink/command-rows.js';
import type { Device } from '#entities/device.js';
import { newId } from '#entities/id.js';
import { rawCommand } from '#entities/product-command.js';
import type { StoredSettings } from '#entities/product-settings.js';
import { settingsFor } from '#records/scope/variable.js';
import type { Context } from '#schema/context.js';
import type { SendCommandArgs } from './command.args.js';

/** Returns the settings of a device's product; empty without one. They are the owner's where the product is public. */
export const settingsOf = async (ctx: Context, { productId }: Pick<Device, 'productId'>): Promise<StoredSettings> => {
  if (productId == null) return {};
  const [row] = await ctx.read<{ settings: StoredSettings }>(sql`
    select ${settingsFor(sql`${ctx.caller.organizationId}`)} as settings from product p where p.id = ${productId}`);
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
  const lifetime = lifetimeOf(args, now);
  const { commands = [] } = await settingsOf(ctx, device);
  const content = readContent(args, commands);
  const { caller } = ctx;
  return {
    id: newId(),
    organizationId: device.organizationId,
    deviceId: device.id,
    productId: content.name === rawCommand ? null : device.productId!,
    ...content,
    key: args.key || null,
    sentBy: caller.userId,
    sender: caller.userName ?? caller.tokenName,
    lifetime,
  };
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
