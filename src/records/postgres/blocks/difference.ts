import { equalRows, type StoredRow } from '#records/blocks/stored-row.js';

/**
 * Describes the first difference between records and what their block restores, without a value. Undefined if they are
 * the same.
 */
export const differenceOf = (rows: readonly StoredRow[], restored: readonly StoredRow[]): string | undefined => {
  if (rows.length !== restored.length) return `has ${restored.length} records instead of ${rows.length}`;
  const index = rows.findIndex((row, place) => !equalRows(row, restored[place]!));
  if (index < 0) return undefined;
  const [row, other] = [rows[index]!, restored[index]!];
  const fields = (Object.keys(row) as (keyof StoredRow)[]).filter(
    (field) => !equalRows(row, { ...row, [field]: other[field] }),
  );
  return `differs in ${fields.join(', ')} of its record ${index + 1}`;
};
