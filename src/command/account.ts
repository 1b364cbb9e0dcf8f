import type { Command } from 'commander';
import { AccountType } from '#entities/enums.js';
import { createAccount, type NewAccount, setDisabled } from '#operator/account.js';
import { createSignInLink } from '#operator/sign-in-link.js';
import { createToken } from '#operator/token.js';
import { linkPath } from '#sign-in/links.js';
import { addCommand, answer, type OutputOptions } from './command.js';
import { withDatabase } from './workplace.js';

/** Adds `ddp organization ...`. */
export function addOrganizationCommands(group: Command): void {
  addAccountOptions(
    addCommand(group, 'create', 'Make an organization and a token that may do everything in it.'),
  ).action(async (options: NewAccount & OutputOptions) =>
    answer(
      options,
      await withDatabase(async ({ pool, now }) => {
        const id = await createAccount(pool, AccountType.organization, options, now);
        const { token } = await createToken(pool, { organizationId: id, name: 'First token' }, now);
        return { id, token };
      }),
    ),
  );
  addSwitches(group, AccountType.organization);
}

/** Adds `ddp user ...`. */
export function addUserCommands(group: Command): void {
  addAccountOptions(addCommand(group, 'create', 'Make a user.')).action(async (options: NewAccount & OutputOptions) =>
    answer(
      options,
      await withDatabase(async ({ pool, now }) => ({ id: await createAccount(pool, AccountType.user, options, now) })),
    ),
  );
  addSwitches(group, AccountType.user);
  addCommand(
    group,
    'sign-in-link <user>',
    'Make a link that signs a user in to the console once; it is valid for an hour. Name the user by identifier, user name or e-mail address.',
  ).action(async (user: string, options: OutputOptions) =>
    answer(
      options,
      await withDatabase(async ({ pool, now, config }) => {
        const { token, expiresAt } = await createSignInLink(pool, user, now);
        const origin = config.publicUrl ?? `http://${config.host}:${config.port}`;
        return { url: `${origin}${linkPath}?token=${token}`, expiresAt: expiresAt.toISOString() };
      }),
    ),
  );
}

const addAccountOptions = (command: Command): Command =>
  command
    .requiredOption('--username <name>', 'unique on the platform: letters, digits, dashes and underscores (required)')
    .requiredOption('--email <address>', 'unique on the platform (required)')
    .option('--name <name>', 'display name');

function addSwitches(group: Command, type: AccountType): void {
  for (const [verb, disabled] of [
    ['disable', true],
    ['enable', false],
  ] as const) {
    const effect = disabled ? 'Switch it off: its tokens stop working.' : 'Switch it on again.';
    addCommand(group, `${verb} <id>`, effect).action(async (id: string, options: OutputOptions) =>
      answer(
        options,
        await withDatabase(async ({ pool, now }) => {
          await setDisabled(pool, type, id, disabled, now);
          return { id, disabled };
        }),
      ),
    );
  }
}
