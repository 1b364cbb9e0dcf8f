import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { requireSecretKey } from '#calls/stored-secret.js';
import { readEnvironment } from '#config/config.js';
import type { OidcProviderSettings } from '#config/oidc-setting.js';
import { createPool } from '#database/pools.js';
import { lookAtStandby } from '#database/standby/standby-look.js';
import { examine } from '#operator/doctor/doctor.js';
import type { Finding } from '#operator/doctor/finding.js';
import { addCommand, type OutputOptions } from './command.js';
import { withServer } from './workplace.js';

/** Adds `ddp doctor`. */
export function addDoctorCommand(ddp: Command): void {
  addCommand(ddp, 'doctor', 'Check the settings, the database and the background work; change nothing.')
    .addHelpText('after', '\nThe exit status is 1 if something is wrong.')
    .action(async ({ json }: OutputOptions) => {
      const findings = await examineAll();
      process.stdout.write(json ? `${JSON.stringify({ findings })}\n` : linesOf(findings));
      const wrong = findings.filter(({ state }) => state === 'wrong').length;
      if (wrong > 0) throw new Error(wrong === 1 ? 'One thing is wrong.' : `${wrong} things are wrong.`);
    });
}

const linesOf = (findings: readonly Finding[]): string =>
  findings
    .flatMap(({ state, check, says, details = [] }) => [
      `${state.padEnd(6)}${check}: ${says}\n`,
      ...details.map((detail) => `      - ${detail}\n`),
    ])
    .join('');

function examineAll(): Promise<Finding[]> {
  // Reads the settings as the service would. It throws with all faults.
  readEnvironment(true);
  return withServer(async ({ connectionString, config, embedded }) => {
    const { openMigrations } = await import('#database/migrations.js');
    const migrations = await openMigrations(connectionString);
    const pool = createPool(connectionString, { max: 1, name: 'ddp cli' });
    try {
      const keys = config.secretKeys.length > 0 || !embedded ? config.secretKeys : await keptKey(config.dataDir);
      return await examine({
        database: pool,
        now: new Date(),
        dataDir: embedded ? config.dataDir : undefined,
        pending: migrations.pending,
        sendsMail: config.mail !== undefined,
        blockMode: config.recordIndex === 'postgres' ? config.recordBlocks : 'off',
        standbys: await Promise.all(config.databaseReadUrls.map((url) => lookAtStandby(pool, url))),
        providers: config.oidc.length > 0 ? await lookAtProviders(config.oidc) : [],
        checkSecretKey: () => requireSecretKey(pool, keys),
      });
    } finally {
      await pool.end();
      await migrations.close();
    }
  });
}

/** Loads the library of sign-in only where there are providers. */
const lookAtProviders = async (providers: readonly OidcProviderSettings[]) =>
  (await import('#sign-in/examine-providers.js')).examineProviders(providers);

/** Returns the key beside the embedded database; none if no service has started yet. */
const keptKey = (dataDir: string): Promise<string[]> =>
  readFile(join(dataDir, 'secret.key'), 'utf8').then(
    (key) => [key.trim()],
    () => [],
  );
