import { countBlockDays, listFaultyDays } from '#records/postgres/blocks/block-days.js';
import { type BlockMode, usualBlockMode } from '#records/postgres/blocks/block-mode.js';
import { ago, type DoctorCheck, finding } from './finding.js';

/** Time after which a waiting day is late, in seconds. */
const late = 6 * 3600;
const listed = 20;

/**
 * Returns the check of the blocks of records: days that cannot be in blocks, and days that have waited too long.
 *
 * @param mode - Undefined: what is usual for the database
 */
export const checkBlocks =
  (mode: BlockMode | undefined): DoctorCheck =>
  async (database, now) => {
    if ((mode ?? (await usualBlockMode(database))) === 'off') return finding('blocks', 'off', 'note', []);
    const { blocked, alone, waiting, oldest, faulty } = await countBlockDays(database, now);
    const waits = oldest > late ? [`${waiting} days have waited for their blocks for up to ${ago(oldest)}.`] : [];
    const says = `${blocked} days are in blocks, ${alone} of them have no rows`;
    if (faulty === 0) return finding('blocks', says, 'note', waits);
    const days = await listFaultyDays(database, listed);
    const found = finding('blocks', '', 'wrong', [
      `${faulty} days cannot be in blocks; searches read their rows. "ddp blocks build" tries again.`,
      ...waits,
    ]);
    const lines = days.map(
      ({ organizationId, productId, day, fault }) =>
        `${day} of product ${productId ?? 'none'} of organization ${organizationId}: ${fault}`,
    );
    return { ...found, details: lines };
  };
