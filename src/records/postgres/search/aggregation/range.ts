import type { WithChildren } from '../../../../search/aggregation/aggregation.js';
import { printOf } from '../../../../search/aggregation/format.js';
import { unsupported } from '../../../../search/aggregation/number-of.js';
import type { RangeAggregation } from '../../../../search/aggregation/option/range.js';
import { isNumeric } from '../../../../search/field/field.js';
import { dateReading } from '../../../../search/query/binding.js';
import { dateOf } from '../../../../search/query/value-of.js';
import type { Input } from '../../../../search/syntax/input.js';
import { number } from '../../../../search/syntax/value.js';
import { fieldRanges } from './bucket/range-bucket.js';
import type { Planned, Stage } from './bucket/stage.js';
import { fieldOrMissing } from './value/missing-value.js';

/** Plans a bucket for each range of a field's numbers. */
export const range = (aggregation: WithChildren<RangeAggregation>, stage: Stage): Planned => {
  const { at, format, timeZone } = aggregation;
  const field = fieldOrMissing('double', aggregation, at, stage);
  if (field !== undefined && !isNumeric(field)) throw unsupported(field, 'range', at);
  const reading = dateReading(stage.planning.now, undefined, timeZone);
  const read = (input: Input) => (field?.kind === 'date' ? dateOf(input, false, reading) : number(input));
  return fieldRanges(aggregation, stage, { field, reading, read, print: printOf(field, format, reading.zone) });
};
