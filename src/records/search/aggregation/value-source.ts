import { illegalArgument } from '../failure.js';
import type { Input } from '../syntax/input.js';
import type { Shaped } from '../syntax/object.js';
import { anything, ignored, text } from '../syntax/value.js';
import type { FieldOptions } from './aggregation.js';

/** Scripts run in no aggregation of ours. */
export function refuseScript(at: Input): never {
  throw illegalArgument('cannot execute [inline] scripts', at);
}

/** The keys of every aggregation over the values of a field. */
export const valueSource = {
  field: text,
  missing: anything,
  format: anything,
  value_type: ignored,
  script: refuseScript,
} as const;

/** What {@link valueSource} read, with the field that must be there. */
export const fieldOptions = (
  { field, missing, format }: Partial<Shaped<typeof valueSource>>,
  at: Input,
): FieldOptions => {
  if (field === undefined)
    throw illegalArgument('Required one of fields [field, script], but none were specified. ', at);
  return { field, ...(missing && !missing.isNull && { missing }), ...(format && !format.isNull && { format }) };
};
