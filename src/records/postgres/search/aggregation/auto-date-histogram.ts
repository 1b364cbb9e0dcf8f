import sql from 'sql-template-tag';
import type { WithChildren } from '../../../../search/aggregation/aggregation.js';
import type { Answer } from '../../../../search/aggregation/answer.js';
import type { AutoDateHistogramAggregation } from '../../../../search/aggregation/auto-date-histogram.js';
import { printOf } from '../../../../search/aggregation/format.js';
import type { Unit } from '../../../../search/date/calendar.js';
import { dateFormatOf } from '../../../../search/date/date-format.js';
import { type Rounding, roundingOf } from '../../../../search/date/rounding.js';
import { type Instant, utc, type Zone } from '../../../../search/date/zone.js';
import { illegalArgument } from '../../../../search/failure.js';
import { chain } from '../../../../search/pace.js';
import { dateReading } from '../../../../search/query/binding.js';
import { instantText } from '../../../../search/query/option/instant.js';
import type { Span } from '../../../../search/span.js';
import { text } from '../../../../search/syntax/value.js';
import { type Bucket, gap } from './bucket/bucket.js';
import type { Planned, Stage } from './bucket/stage.js';
import { unsupported } from './value/number-of.js';

/** Units from fine to coarse, and how many of each may be put together. */
const steps: readonly { unit: Unit; short: string; inner: readonly number[] }[] = [
  { unit: 'second', short: 's', inner: [1, 5, 10, 30] },
  { unit: 'minute', short: 'm', inner: [1, 5, 10, 30] },
  { unit: 'hour', short: 'h', inner: [1, 3, 12] },
  { unit: 'day', short: 'd', inner: [1, 7] },
  { unit: 'month', short: 'M', inner: [1, 3] },
  { unit: 'year', short: 'y', inner: [1, 5, 10, 20, 50, 100] },
];

/** At most so many buckets of time, of a width that fits the records of the single buckets around it. */
export const autoDateHistogram = (aggregation: WithChildren<AutoDateHistogramAggregation>, stage: Stage): Planned => {
  const { at, buckets: most, minimumInterval, format } = aggregation;
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
  const { starts, interval } = choose(found, most, least, zone);
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

/** The finest unit, and the fewest of it together, that give no more buckets than asked for. */
const choose = (
  { from, to }: Span,
  most: number,
  least: number,
  zone: Zone,
): { starts: Instant[]; interval: string } => {
  for (const { unit, short, inner } of steps.slice(least)) {
    const rounding = roundingOf({ unit }, zone);
    const all = startsOf(rounding, from, to, most * inner.at(-1)!);
    if (all === undefined) continue;
    const together = inner.find((size) => Math.ceil(all.length / size) <= most);
    if (together !== undefined)
      return { starts: all.filter((_, index) => index % together === 0), interval: `${together}${short}` };
  }
  return { starts: [roundingOf({ unit: 'year' }, zone).round(from)], interval: '100y' };
};

const startsOf = (rounding: Rounding, from: Instant, to: Instant, most: number): Instant[] | undefined => {
  const starts: Instant[] = [];
  for (let start = rounding.round(from); start <= to; start = rounding.next(start)) {
    if (starts.push(start) > most) return undefined;
  }
  return starts;
};
