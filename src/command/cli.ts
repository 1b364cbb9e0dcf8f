import { Command, CommanderError } from 'commander';
import { buildVersion } from '#runtime/version.js';
import { addOrganizationCommands, addUserCommands } from './account.js';
import { addBackupCommands } from './backup.js';
import { addBridgeCommand } from './bridge.js';
import { addIndexCommands } from './cluster-index.js';
import { addGroup } from './command.js';
import { addConfigurationCommands } from './configuration.js';
import { addDemoCommand } from './demo.js';
import { addDoctorCommand } from './doctor.js';
import { addProductCommands, addRetentionCommands } from './product.js';
import { addQuotaCommands } from './quota.js';
import { addBlockCommands } from './record-blocks.js';
import { addServiceCommands } from './service.js';
import { addTokenCommands } from './token.js';

/** Runs the command line and returns the exit code: 0, or 1 after an error message on stderr. */
export async function run(args: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has printed its message itself. A request for help is not a failure.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

function createProgram(): Command {
  const ddp = new Command('ddp')
    .description('Device Data Platform: records from devices in, search and webhooks out.')
    .version(buildVersion, '-V, --version')
    .showHelpAfterError('Add --help for its usage.')
    .exitOverride();
  addServiceCommands(ddp);
  addBackupCommands(ddp);
  addDoctorCommand(ddp);
  addOrganizationCommands(addGroup(ddp, 'organization', 'Organizations, the tenants.'));
  addUserCommands(addGroup(ddp, 'user', 'Users, who become members of organizations.'));
  addTokenCommands(addGroup(ddp, 'token', 'Tokens of callers.'));
  addProductCommands(addGroup(ddp, 'product', 'Products, the types of devices.'));
  addQuotaCommands(addGroup(ddp, 'quota', 'Quotas of organizations.'));
  addRetentionCommands(addGroup(ddp, 'retention', 'Retention of records.'));
  addIndexCommands(addGroup(ddp, 'index', 'The index of records on an OpenSearch cluster.'));
  addBlockCommands(addGroup(ddp, 'blocks', 'Blocks of records, which hold finished days in columns.'));
  addBridgeCommand(ddp);
  addConfigurationCommands(ddp);
  addDemoCommand(ddp);
  return ddp;
}
