import { queryShard, SearchFailure } from '../../failure.js';
import type { Field } from '../../field/field.js';
import type { Input } from '../../syntax/input.js';
import { byHand, flag, type Read, word } from '../../syntax/value.js';
import { unchecked } from '../clause.js';

/** Options of geo clauses beside their field. */
export const options = {
  ...unchecked,
  validation_method: word('coerce', 'ignore_malformed', 'strict'),
  ignore_unmapped: flag,
} as const;

export const read = <T>(by: Read<T>, input: Input): T => byHand(by)(input);

export const invalid = (reason: string, at: Input) =>
  new SearchFailure(400, 'query_validation_exception', `Validation Failed: 1: ${reason};`, at);

export const placeOf = (
  field: Field | undefined,
  path: string,
  ignoreUnmapped: boolean,
  at: Input,
): Field | undefined => {
  if (field?.kind === 'geo_point') return field;
  if (field !== undefined) throw queryShard(`field [${path}] is not a geo_point field`, at);
  if (ignoreUnmapped) return undefined;
  throw queryShard(`failed to find geo field [${path}]`, at);
};
