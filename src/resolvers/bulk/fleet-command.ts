import sql from 'sql-template-tag';
import { ApiError, forbidden } from '#common/errors.js';
import { type CommandContent, lifetimeOf, readContent } from '#downlink/command-content.js';
import type { StoredCommand } from '#downlink/command-rows.js';
import { type CommandDeclaration, rawCommand } from '#entities/product-command.js';
import { settingsFor } from '#records/scope/variable.js';
import type { Context } from '#schema/context.js';
import type { SendCommandsArgs } from './device-batch.args.js';
import type { CommandAction } from './device-batch.js';

interface ProductCommands {
  id: string;
  commands: CommandDeclaration[];
}

/**
 * Reads a command to many devices: for each product that declares it, or a raw one for all.
 * @param now milliseconds since the epoch
 * @throws invalid (422) if no product of the organization's devices takes it
 */
export async function readCommandAction(ctx: Context, args: SendCommandsArgs, now: number): Promise<CommandAction> {
  const expiresAt = new Date(now + lifetimeOf(args, now) * 1000).toISOString();
  const { caller } = ctx;
  const key = args.key || null;
  const stored = (content: CommandContent, productId: string | null): StoredCommand => ({
    ...content,
    payload: content.payload?.toString('hex') ?? null,
    organizationId: args.organizationId,
    productId,
    key,
    sentBy: caller.userId,
    sender: caller.userName ?? caller.tokenName,
    expiresAt,
  });
  if (args.name === rawCommand)
    return { kind: 'sendCommands', byProduct: {}, raw: stored(readContent(args, []), null), key };
  const products = await ctx.read<ProductCommands>(sql`
    select p.id, s.settings -> 'commands' as commands
      from product p cross join lateral (select ${settingsFor(sql`${caller.organizationId}`)} as settings) s
     where p.id in (select d.product_id from device d where d.organization_id = ${args.organizationId})
       and s.settings -> 'commands' @> ${JSON.stringify([{ name: args.name }])}::jsonb order by p.id limit 1000`);
  const byProduct: Record<string, StoredCommand> = {};
  const faults: unknown[] = [];
  for (const { id, commands } of products)
    try {
      byProduct[id] = stored(readContent(args, commands), id);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      faults.push(error);
    }
  if (Object.keys(byProduct).length === 0) throw faults[0] ?? unknownTo(args);
  return { kind: 'sendCommands', byProduct, raw: null, key };
}

/** Returns the error for a command that no product declares. */
const unknownTo = (args: SendCommandsArgs): unknown => {
  try {
    return readContent(args, []);
  } catch (error) {
    return error;
  }
};

/** 403: the caller may not send commands to this many of the chosen devices. */
export const mayNotSend = (count: number): ApiError =>
  forbidden(
    `This takes the permission "write" on an application of each device, which you lack for ${count} of these: choose others, or ask an owner for it.`,
  );
