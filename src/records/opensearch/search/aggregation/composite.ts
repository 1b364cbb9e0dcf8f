import { compositeCursor, cursorMillis } from '#records/answer/composite.js';
import { plainKey } from '#records/answer/key.js';
import type { EngineBucket, Part } from '#records/opensearch/engine.js';
import type { WithChildren } from '#search/aggregation/aggregation.js';
import { type Answer, hiddenParts } from '#search/aggregation/aggregation-answer.js';
import type { CompositeAggregation, CompositeSource } from '#search/aggregation/composite.js';
import { printOf } from '#search/aggregation/format.js';
import { unsupported } from '#search/aggregation/number-of.js';
import { utc } from '#search/date/zone.js';
import { type Field, isNumeric } from '#search/field/field.js';
import { emptyField } from '#search/field/reserved.js';
import { chain } from '#search/pace.js';
import { dateReading } from '#search/query/binding.js';
import { coerce } from '#search/query/value-of.js';
import { illegalArgument, maxBuckets } from '#search/search-failure.js';
import type { Input } from '#search/syntax/input.js';
import { number, scalarText } from '#search/syntax/value.js';
import type { EngineAggregationContext, Planned } from './bucket/aggregation-context.js';
import { type Bucket, inside } from './bucket/bucket.js';
import { compositePage } from './bucket/composite-page.js';
import { timePart } from './date-histogram.js';
import { ownTexts } from './value/own-text.js';

/** One key of composite buckets, bound to its field. */
interface Key {
  readonly name: string;
  readonly asked: Part;
  readonly missingBucket: boolean;
  readonly descending: boolean;
  readonly nullsFirst: boolean;
  /** Returns the current value of the device with a number; set for fields of devices. */
  readonly textOf?: (number: number) => string | null;
  /** Converts a value of the cursor to the engine's form. */
  parameter(input: Input): unknown;
  /** Returns a key without its format, as pipelines sort by it. */
  value(answered: unknown): unknown;
  /** Returns a key in its format, as the answer shows it. */
  written(answered: unknown): unknown;
}

/** Plans buckets by combinations of keys, page by page: `after` is the last key of the previous page. */
export const composite = (
  aggregation: WithChildren<CompositeAggregation>,
  context: EngineAggregationContext,
): Planned => {
  const { at, sources, size, after } = aggregation;
  if (!context.isTop) throw illegalArgument('[composite] aggregation cannot be used with a parent aggregation', at);
  const keys = sources.map((source) => keyOf(source, context));
  const known = keys.filter((key) => key !== undefined);
  const cursor = after === undefined ? undefined : compositeCursor(after, aggregation);
  if (known.length < keys.length) {
    context.planEmpty(aggregation);
    return { asked: {}, read: () => ({ buckets: [] }) };
  }
  const start = cursor && known.map((key, index) => startOf(key, cursor[index]!));
  // The engine can order by device numbers, but not by any other value of a device.
  const isOrderedHere = known.some(({ textOf }) => textOf !== undefined);
  const asked = {
    size: isOrderedHere ? maxBuckets : Math.min(size, maxBuckets),
    sources: known.map((key, index) => ({ [`s${index}`]: key.asked })),
    ...(start && !isOrderedHere && { after: Object.fromEntries(start.map((value, index) => [`s${index}`, value])) }),
  };
  const children = context.planAll(aggregation);
  const question = context.ask('composite', asked, { children });
  const partsOf = ({ key }: EngineBucket, read: (key: Key, answered: unknown) => unknown): readonly unknown[] =>
    known.map((one, index) => {
      const answered = (key as Readonly<Record<string, unknown>>)[`s${index}`] ?? null;
      return answered === null ? null : read(one, typeof answered === 'bigint' ? `${answered}` : answered);
    });
  const written = (bucket: EngineBucket): Answer => {
    const parts = partsOf(bucket, (key, answered) => key.written(answered));
    return Object.fromEntries(known.map(({ name }, index) => [name, parts[index]]));
  };
  const bucketsIn = (around: Bucket): readonly EngineBucket[] => {
    const found = (question.answerIn(around)?.['buckets'] ?? []) as readonly EngineBucket[];
    return isOrderedHere ? compositePage(found, known, { start, size }) : found;
  };
  return {
    asked: question.asked,
    visit: (around) => {
      for (const bucket of bucketsIn(around)) children.visit(inside(bucket, around));
    },
    read: (around) => {
      const buckets = bucketsIn(around);
      context.planning.made(buckets.length);
      const final = buckets.at(-1);
      const begin = (bucket: EngineBucket): [Answer, Bucket] => [
        {
          key: written(bucket),
          doc_count: bucket.doc_count ?? 0,
          [hiddenParts]: partsOf(bucket, (key, answered) => key.value(answered)),
        },
        inside(bucket, around),
      ];
      return chain(children.readAll(buckets, begin), (answers) => ({
        ...(final && { after_key: written(final) }),
        buckets: answers,
      }));
    },
  };
};

const startOf = ({ name, missingBucket, parameter }: Key, input: Input): unknown => {
  if (!input.isNull) return parameter(input);
  if (!missingBucket) throw illegalArgument(`Invalid value for [after.${name}]: null`, input);
  return null;
};

/** Binds a source to its field; undefined for an unknown field. */
const keyOf = (source: CompositeSource, context: EngineAggregationContext): Key | undefined => {
  const { name, missingBucket, at } = source;
  const found = context.field(source.field, at);
  if (found === undefined && !missingBucket) return undefined;
  const field = found ?? emptyField(source.field, 'keyword');
  if (source.missing !== undefined)
    throw illegalArgument(`[missing] of a source of [composite] is not supported where records are on a cluster`, at);
  const part = found === undefined ? missingFieldPart : parts[source.by](source as never, field, context);
  const isOfDevice = found?.ofDevice && source.by === 'terms';
  const textOf = isOfDevice ? ownTexts(field, source, context) : undefined;
  const options = {
    field: isOfDevice ? 'dn' : context.planning.compiler.nameOf(field),
    order: source.descending ? 'desc' : 'asc',
    missing_bucket: missingBucket,
    ...(missingBucket &&
      source.missingFirst !== undefined && { missing_order: source.missingFirst ? 'first' : 'last' }),
  };
  const by = found === undefined ? 'terms' : source.by;
  const { more, value, written = value, parameter } = part;
  return {
    name,
    missingBucket,
    descending: source.descending,
    // Without an explicit order, missing values sort as the smallest.
    nullsFirst: source.missingFirst ?? !source.descending,
    asked: { [by]: { ...options, ...more } },
    parameter,
    value,
    written,
    ...(textOf && { textOf }),
  };
};

interface KeyPart {
  readonly more?: Part;
  parameter(input: Input): unknown;
  value(answered: unknown): unknown;
  written?(answered: unknown): unknown;
}

const missingFieldPart: KeyPart = { parameter: (input) => scalarText(input) ?? '', value: (answered) => answered };

type By<K extends CompositeSource['by']> = Extract<CompositeSource, { by: K }>;

const parts: {
  [K in CompositeSource['by']]: (source: By<K>, field: Field, context: EngineAggregationContext) => KeyPart;
} = {
  terms: (source, field, context) => {
    if (field.kind === 'geo_point') throw unsupported(field, source.by, source.at);
    const print = field.kind === 'date' && source.format === undefined ? undefined : printOf(field, source.format);
    const value = (answered: unknown) => plainKey(field, answered);
    return {
      parameter: (input) => {
        if (field.kind === 'date') return cursorMillis(source, input, context.planning.now);
        const coerced = coerce(field, input);
        return coerced === 'none' ? (scalarText(input) ?? '') : coerced.value;
      },
      value,
      written: (answered) => {
        const key = value(answered);
        if (field.kind === 'boolean') return key === 1;
        return print === undefined || field.kind === 'keyword' ? key : print(Number(key));
      },
    };
  },
  histogram: (source, field) => {
    if (!isNumeric(field)) throw unsupported(field, source.by, source.at);
    const { interval } = source;
    return {
      more: { interval },
      parameter: number,
      value: (answered) => Math.round(Number(answered) / interval) * interval,
    };
  },
  date_histogram: (source, field, context) => {
    if (field.kind !== 'date') throw unsupported(field, source.by, source.at);
    const zone = dateReading(context.planning.now, undefined, source.timeZone).zone ?? utc;
    const print = source.format && printOf(field, source.format, zone);
    return {
      more: timePart(source.interval, zone, source.offset),
      parameter: (input) => cursorMillis(source, input, context.planning.now),
      value: Number,
      written: (answered) => (print ? print(Number(answered)) : Number(answered)),
    };
  },
};
