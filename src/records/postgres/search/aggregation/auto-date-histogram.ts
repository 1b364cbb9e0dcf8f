import sql from 'sql-template-tag';
import type { WithChildren } from '../../../../search/aggregation/aggregation.js';
import type { Answer } from '../../../../search/aggregation/answer.js';
import type { AutoDateHistogramAggregation } from '../../../../search/aggregation/auto-date-histogram.js';
import { printOf } from '../../../../search/aggregation/format.js';
import { unsupported } from '../../../../search/aggregation/number-of.js';
import { dateFormatOf } from '../../../../search/date/date-format.js';
import { type Instant, utc } from '../../../../search/date/zone.js';
import { illegalArgument } from '../../../../search/failure.js';
import { chain } from '../../../../search/pace.js';
import { dateReading } from '../../../../search/query/binding.js';
import { instantText } from '../../../../search/query/option/instant.js';
import { text } from '../../../../search/syntax/value.js';
import { choose, steps } from '../../../answer/automatic-interval.js';
import { type Bucket, gap } from './bucket/bucket.js';
import type { Planned, Stage } from './bucket/stage.js';

/** At most so many buckets of time, of a width that fits the records of the single buckets around it. */
export const autoDateHistogram = (aggregation: WithChildren<AutoDateHistogramAggregation>, stage: Stage): Planned => {
  const { at, buckets: maxBuckets, minimumInterval, format } = aggregation;
  const { planning } = stage;
  const field = stage.field(aggregation.field, at);
  if (field !== undefined && field.kind !== 'date') throw unsupported(field, 'auto_date_histogram', at);
  const least = minimumInterval === undefined ? 0 : steps.findIndex(({ unit }) => unit === minimumInterval);
  if (least < 0)
    throw illegalArgument(`minimum_interval must be one of [${steps.map(({ unit }) => unit).join(', ')}]`, at);
  // A wrong format or zone is a fault also where there are no records to show.
  if (format !== undefined) dateFormatOf(text(format), format);
  const zone = dateReading(planning.now, undefined, aggregation.timeZone).zone ?? utc;
  const found = planning.found.get(aggregation);
  if (field === undefined || found === undefined) {
    stage.planBarren(aggregation);
    return { read: () => ({ buckets: [], interval: `1${steps[least]!.short}` }) };
  }
  const { starts, interval } = choose(found, maxBuckets, least, zone);
  const inner = stage.inside([
    {
      value: sql`width_bucket(${field.value}, ${starts.map(instantText)}::timestamptz[])`,
      type: sql`int4`,
      fields: [field],
    },
  ]);
  const children = inner.planAll(aggregation);
  const count = inner.count();
  const print = printOf(field, format, zone)!;
  const begin = (start: Instant, bucket: Bucket = gap): [Answer, Bucket] => [
    { key_as_string: print(start), key: start, doc_count: count(bucket) },
    bucket,
  ];
  return {
    read: (around) => {
      const rows = new Map(
        inner.level.bucketsOf(around).map((bucket) => [Number(inner.level.keysOf(bucket.row!)[0]), bucket]),
      );
      const places = [...rows.keys()];
      const [first, last] = [Math.min(...places), Math.max(...places)];
      const shown = starts
        .map((start, index) => ({ start, place: index + 1 }))
        .filter(({ place }) => place >= first && place <= last);
      planning.made(shown.length);
      const answers = children.readAll(shown, ({ start, place }) => begin(start, rows.get(place)));
      return chain(answers, (buckets) => ({ buckets, interval }));
    },
  };
};
