import { VariableType } from '#entities/enums.js';

/** Kind of a slot: the array `record.numbers` or `record.texts`. */
export type SlotKind = 'number' | 'text';

/**
 * Position of a product's variable in the arrays of its records (table `product_slot`).
 * The value of a declared variable is read as follows, where `slot` is that of its current name and type:
 * - Numeric types: `numbers[slot]`, with BOOL as 0 and 1. TXT: `texts[slot]`. Null means no value, or none that fits.
 * - A double is not exact beyond 2^53: for INT64 use `case when numbers[slot] is not null then (data->>name)::numeric
 *   end`. A filled slot guarantees that the cast works.
 * - Arrays: `many->name` holds the array of fitting values in the variable's own type (numbers, booleans, texts), and
 *   the slot is null. `record_field.multi` of the path `data.<name>` says whether the organization has any, so that
 *   most queries need not read it.
 * - `_ignored` of a hit: `record.ignored` (paths such as `data.temperature`), and each variable that is in `data` (not
 *   null) with neither slot nor `many`: it was stored under an older type. A variable without a row in `product_slot`
 *   has no stored values.
 * Fields that no product declares, and `metadata`, are read from `data` and `metadata` by the kind in `record_field`,
 * guarded by `jsonb_typeof`. Every stored jsonb number fits a double (others are stored as decimal text).
 */
export interface Slot {
  name: string;
  type: VariableType;
  kind: SlotKind;
  /** Index into the array, from 1. */
  slot: number;
}

/** Returns the array that holds a type's values. */
export const slotKind = (type: VariableType): SlotKind => (type === VariableType.TXT ? 'text' : 'number');
