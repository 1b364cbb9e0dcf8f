import type { WithChildren } from '../../../../search/aggregation/aggregation.js';
import { printOf } from '../../../../search/aggregation/format.js';
import { unsupported } from '../../../../search/aggregation/number-of.js';
import type { RangeAggregation } from '../../../../search/aggregation/option/range.js';
import { emptyField } from '../../../../search/field/reserved.js';
import { dateReading } from '../../../../search/query/binding.js';
import { dateOf } from '../../../../search/query/value-of.js';
import type { Input } from '../../../../search/syntax/input.js';
import { fieldRanges } from './bucket/range-bucket.js';
import type { Planned, Stage } from './bucket/stage.js';
import { fieldOrMissing } from './value/missing-value.js';

/** Plans a bucket for each range of a field's times. */
export const dateRange = (aggregation: WithChildren<RangeAggregation>, stage: Stage): Planned => {
  const { at, format, timeZone } = aggregation;
  const field = fieldOrMissing('date', aggregation, at, stage);
  if (field !== undefined && field.kind !== 'date') throw unsupported(field, 'date_range', at);
  const reading = dateReading(stage.planning.now, format, timeZone);
  const read = (input: Input) => dateOf(input, false, reading);
  const print = printOf(field ?? emptyField('', 'date'), format, reading.zone);
  return fieldRanges(aggregation, stage, { field, reading, read, print });
};
