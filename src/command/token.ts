import { type Command, Option } from 'commander';
import { TokenScope } from '#entities/enums.js';
import { createToken, revokeToken } from '#operator/token.js';
import { addCommand, answer, duration, type OutputOptions } from './command.js';
import { withDatabase } from './workplace.js';

interface TokenOptions extends OutputOptions {
  organization: string;
  user?: string;
  scope: TokenScope;
  name?: string;
  /** Milliseconds from now. */
  expires?: number;
}

/** Adds `ddp token ...`. */
export function addTokenCommands(group: Command): void {
  addCommand(group, 'create', 'Make a token. It is shown only once.')
    .requiredOption('--organization <id>', 'organization that it acts for (required)')
    .option('--user <id>', 'member that it acts as; without one it acts as the organization itself')
    .addOption(
      new Option('--scope <scope>', 'what it may do').choices(Object.values(TokenScope)).default(TokenScope.full),
    )
    .option('--name <name>', 'what it is for')
    .option('--expires <duration>', 'when it expires, such as 30d (a number and s, m, h or d)', duration)
    .action(async ({ organization, user, scope, name, expires, json }: TokenOptions) =>
      answer(
        { json },
        await withDatabase(({ pool, now }) => {
          const expiresAt = expires === undefined ? undefined : new Date(now.getTime() + expires);
          return createToken(pool, { organizationId: organization, userId: user, scope, name, expiresAt }, now);
        }),
      ),
    );
  addCommand(group, 'revoke <id>', 'End a token for good.').action(async (id: string, options: OutputOptions) =>
    answer(
      options,
      await withDatabase(async ({ pool, now }) => {
        await revokeToken(pool, id, now);
        return { id, revoked: true };
      }),
    ),
  );
}
