import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { Pool } from 'pg';
import { readEnvironment } from './config.js';
import { openDatabase } from './database/database.js';
import { createPool } from './database/pools.js';
import { parseDuration } from './duration.js';
import { AccountType, TokenScope } from './entities/enums.js';
import { createLog, type Log } from './log.js';
import { createAccount, type NewAccount, setDisabled } from './operator/account.js';
import { setPublic } from './operator/product.js';
import { setRetention } from './operator/retention.js';
import { createToken, revokeToken } from './operator/token.js';
import { prepareDatabase } from './prepare.js';
import { welcome } from './welcome.js';

/** What a command answers: one JSON value with `--json`, else a line for each field. */
type Answer = Readonly<Record<string, string | boolean | readonly string[] | null | undefined>>;

interface OutputOptions {
  json?: boolean;
}

interface TokenOptions extends OutputOptions {
  organization: string;
  user?: string;
  scope: TokenScope;
  name?: string;
  /** Milliseconds from now. */
  expires?: number;
}

/** Runs the command line and gives the exit code: 0, or 1 after a sentence on stderr. */
export async function run(args: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has said its sentence itself; asking for help is no failure.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

function createProgram(): Command {
  const ddp = new Command('ddp')
    .description('Device Data Platform: records from devices in, search and webhooks out.')
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('Add --help to see how it is called.')
    .exitOverride();

  addCommand(ddp, 'serve', 'Run the service until SIGTERM or SIGINT.').action(serve);
  addCommand(ddp, 'migrate', 'Bring the database to the newest schema.').action(async (options: OutputOptions) =>
    answer(options, await withDatabase(({ applied }) => Promise.resolve({ applied }))),
  );
  addOrganizationCommands(addGroup(ddp, 'organization', 'Organizations, the tenants.'));
  addUserCommands(addGroup(ddp, 'user', 'Users, who become members of organizations.'));
  addTokenCommands(addGroup(ddp, 'token', 'Tokens, with which callers prove who they are.'));
  addRetentionCommands(addGroup(ddp, 'retention', 'How long records are kept.'));
  addProductCommands(addGroup(ddp, 'product', 'Products, the types of devices.'));
  return ddp;
}

function addOrganizationCommands(group: Command): void {
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

function addUserCommands(group: Command): void {
  addAccountOptions(addCommand(group, 'create', 'Make a user.')).action(async (options: NewAccount & OutputOptions) =>
    answer(
      options,
      await withDatabase(async ({ pool, now }) => ({ id: await createAccount(pool, AccountType.user, options, now) })),
    ),
  );
  addSwitches(group, AccountType.user);
}

const addAccountOptions = (command: Command): Command =>
  command
    .requiredOption('--username <name>', 'unique on the platform: letters, digits, dashes and underscores')
    .requiredOption('--email <address>', 'unique on the platform')
    .option('--name <name>', 'display name');

function addSwitches(group: Command, type: AccountType): void {
  for (const [verb, disabled] of [
    ['disable', true],
    ['enable', false],
  ] as const) {
    const effect = disabled ? `Switch a ${type} off: its tokens stop to count.` : `Switch a ${type} on again.`;
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

function addTokenCommands(group: Command): void {
  addCommand(group, 'create', 'Make a token. It is shown this once.')
    .requiredOption('--organization <id>', 'organization that it acts for')
    .option('--user <id>', 'member that it acts as; without one it acts as the organization itself')
    .addOption(
      new Option('--scope <scope>', 'what it may do').choices(Object.values(TokenScope)).default(TokenScope.full),
    )
    .option('--name <name>', 'what it is for')
    .option('--expires <duration>', 'when it stops to count, such as 30d (a number and s, m, h or d)', duration)
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

function addProductCommands(group: Command): void {
  for (const [verb, isPublic] of [
    ['publish', true],
    ['unpublish', false],
  ] as const) {
    const effect = isPublic ? 'Show a product to every organization.' : 'Show a product to its own organization alone.';
    addCommand(group, `${verb} <id>`, effect).action(async (id: string, options: OutputOptions) =>
      answer(
        options,
        await withDatabase(async ({ pool, now }) => {
          await setPublic(pool, id, isPublic, now);
          return { id, public: isPublic };
        }),
      ),
    );
  }
}

function addRetentionCommands(group: Command): void {
  addCommand(group, 'set <duration>', 'Keep records for so long (90d), or for ever (none).')
    .requiredOption('--organization <id>', 'whose records')
    .option('--product <id>', 'only those of this product; it counts instead of what the organization has')
    .action(
      async (
        text: string,
        { organization, product, json }: OutputOptions & { organization: string; product?: string },
      ) => {
        const keep = text === 'none' ? null : duration(text);
        const retention = { organizationId: organization, productId: product ?? null };
        await withDatabase(({ pool }) => setRetention(pool, retention, keep));
        answer({ json }, { ...retention, keep: text });
      },
    );
}

const addGroup = (parent: Command, name: string, description: string): Command =>
  parent.command(name).description(description);

const addCommand = (parent: Command, name: string, description: string): Command =>
  parent.command(name).description(description).option('--json', 'print exactly one JSON value');

function duration(text: string): number {
  const milliseconds = parseDuration(text);
  if (!milliseconds) throw new InvalidArgumentError('It must be a number and s, m, h or d, such as 30d.');
  return milliseconds;
}

async function serve(options: OutputOptions): Promise<void> {
  // The service is most of the program; the other commands start in half the time without it.
  const { awaitSignal, start } = await import('./serve.js');
  const config = readEnvironment(true);
  const log = createLog(config.logLevel);
  const signal = awaitSignal(log);
  const service = await start(config, log);
  log.info({ url: service.url }, 'Listening.');
  if (options.json) answer(options, { url: service.url, ...service.first });
  else if (service.first !== undefined) process.stdout.write(welcome(service.url, service.first));
  await signal;
  await service.close();
  log.info('Ended.');
}

/** Where a command works: a connection to the migrated database, and the time. */
interface Workplace {
  pool: Pool;
  now: Date;
  log: Log;
  /** Migrations that had to be applied first. */
  applied: string[];
}

/** Opens the database of the settings, whether the service runs or not, and leaves it as it was. */
async function withDatabase<T>(work: (place: Workplace) => Promise<T>): Promise<T> {
  const config = readEnvironment(false);
  const log = createLog(config.logLevel);
  const database = await openDatabase(config, log);
  try {
    const applied = await prepareDatabase(database.connectionString, log);
    const pool = createPool(database.connectionString, { max: 1, name: 'ddp cli' });
    try {
      return await work({ pool, now: new Date(), log, applied });
    } finally {
      await pool.end();
    }
  } finally {
    await database.close();
  }
}

function answer({ json = false }: OutputOptions, value: Answer): void {
  const lines = Object.entries(value).map(
    ([name, field]) => `${name}: ${typeof field === 'object' ? field?.join(', ') || 'none' : field}`,
  );
  process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${lines.join('\n')}\n`);
}
