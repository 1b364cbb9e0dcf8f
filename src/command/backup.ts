import { access } from 'node:fs/promises';
import type { Command } from 'commander';
import { createBackup } from '#backup/backup.js';
import { holdsJournal } from '#backup/catalog.js';
import { restoreBackup } from '#backup/restore.js';
import { withMigrationLock } from '#database/migrate.js';
import { buildVersion } from '#runtime/version.js';
import { addCommand, answer, type OutputOptions } from './command.js';
import { endProgress, showProgress } from './progress.js';
import { withServer } from './workplace.js';

/** Adds `ddp backup` and `ddp restore`. */
export function addBackupCommands(ddp: Command): void {
  addCommand(ddp, 'backup <file>', 'Write all data to a file while the service runs.')
    .option('--without-documents', 'with records on an OpenSearch cluster: back up what PostgreSQL has of the service')
    .action(async (file: string, options: OutputOptions & { withoutDocuments?: boolean }) =>
      answer(options, await backup(file, options.withoutDocuments === true)),
    );
  addCommand(ddp, 'restore <file>', 'Fill an empty database from a backup; no service may run on it.').action(
    async (file: string, options: OutputOptions) => answer(options, await restore(file)),
  );
}

const backup = (path: string, withoutDocuments: boolean) =>
  withServer(async ({ connectionString, config }) => {
    const onCluster = config.recordIndex === 'opensearch' || (await holdsJournal(connectionString));
    if (onCluster && !withoutDocuments)
      throw new Error(
        'Records are on the OpenSearch cluster, which a backup leaves out. Take a snapshot of the cluster, then back up the rest with --without-documents.',
      );
    const { rows, bytes } = await createBackup({
      connectionString,
      path,
      version: buildVersion,
      now: new Date(),
      onProgress: showRows,
    }).finally(endProgress);
    return {
      file: path,
      rows: String(rows),
      bytes: String(bytes),
      leftOut: [
        'the key of stored secrets (SECRET_KEY, or secret.key in DATA_DIR), without which a restored service does not start: keep it elsewhere',
        ...(onCluster ? ['the documents on the OpenSearch cluster'] : []),
      ],
    };
  });

const restore = async (path: string) => {
  await access(path);
  return withServer(({ connectionString }) =>
    withMigrationLock(connectionString, async () => {
      const { openMigrations } = await import('#database/migrations.js');
      const migrations = await openMigrations(connectionString);
      try {
        const { rows, createdAt, version } = await restoreBackup({
          connectionString,
          path,
          migrations: migrations.names,
          migrationsFor: migrations.forBackup,
          migrate: migrations.apply,
          onProgress: showRows,
        }).finally(endProgress);
        return {
          rows: String(rows),
          createdAt,
          version,
          next: 'start the service with the key of stored secrets that it had (SECRET_KEY, or secret.key in DATA_DIR)',
        };
      } finally {
        await migrations.close();
      }
    }),
  );
};

const showRows = (done: number, total: number) => showProgress(done, total, 'rows');
