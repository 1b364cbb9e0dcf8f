/** Names of the migrations before the baseline, which holds the schema that they resulted in. */
const earlier = /^2026112[0-5]-/;
const lastEarlier = '20261125-71-claims-of-quotas';
const baseline = /^\d\d-/;

const isEarlier = (name: string): boolean => earlier.test(name);

/**
 * Checks that no build from before the baseline made the database.
 * @throws Error with a sentence that says how to move the data
 */
export function refuseEarlierBuild(applied: readonly string[]): void {
  if (applied.some(isEarlier))
    throw new Error(
      'An earlier build made this database: write its data to a file with `ddp backup` of that build, and fill a new database from the file with `ddp restore` of this one.',
    );
}

/**
 * Returns the migrations of this release that make the tables of a backup.
 * @param applied migrations of the database that was backed up
 * @param known migrations of this release
 * @throws Error with a sentence if the tables are older than the baseline
 */
export function migrationsForBackup(applied: readonly string[], known: readonly string[]): readonly string[] {
  if (!applied.some(isEarlier)) return applied;
  if (!applied.includes(lastEarlier))
    throw new Error(
      `The backup is of a schema older than the first that this release restores: restore it with a build that has the migration ${lastEarlier}, and back it up again.`,
    );
  return [...known.filter((name) => baseline.test(name)), ...applied.filter((name) => !isEarlier(name))];
}
