import { VariableType } from '../../entities/enums.js';

/** Which array of a record holds the values of a variable: `record.numbers` or `record.texts`. */
export type SlotKind = 'number' | 'text';

/**
 * The place of one product's variable in the arrays of its records (table `product_slot`).
 *
 * How the value of a declared variable is read, where `slot` is that of its present name and type:
 * - numeric types: `numbers[slot]`, BOOL as 0 and 1; TXT: `texts[slot]`. Null: no value, or none that fits.
 * - Beyond 2^53 a double is not exact: for INT64 take `case when numbers[slot] is not null then (data->>name)::numeric end`;
 *   a filled slot says that the cast is safe.
 * - Arrays: `many->name` holds the array of fitting values in the variable's own type (numbers, booleans, texts), and the
 *   slot is null. `record_field.multi` of path `data.<name>` says whether the organization has any at all, so that the
 *   usual query need not look.
 * - `_ignored` of a hit: `record.ignored` (paths such as `data.temperature`), and each variable that is in `data` (not null)
 *   with neither slot nor `many`: it was stored under an older type.
 * A variable without a row in `product_slot` has no stored values.
 *
 * Fields that no product declares, and `metadata`, are read from `data` and `metadata` by the kind in `record_field`, guarded
 * by `jsonb_typeof`: every jsonb number that we store fits a double (others are kept as decimal text).
 */
export interface Slot {
  name: string;
  type: VariableType;
  kind: SlotKind;
  /** Index into the array, from 1. */
  slot: number;
}

/** The array that holds a type's values. */
export const slotKind = (type: VariableType): SlotKind => (type === VariableType.TXT ? 'text' : 'number');
