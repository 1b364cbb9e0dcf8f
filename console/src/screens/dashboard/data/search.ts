import { type Choice, type Source, variableName } from '../document.js';

/** Answer to one query of the search language. */
export interface SearchAnswer {
  readonly error?: { readonly reason?: string };
  readonly timed_out?: boolean;
  readonly hits?: {
    readonly total?: { readonly value: number; readonly relation: string };
    readonly hits: readonly { readonly _id: string; readonly _source?: Record<string, unknown> }[];
  };
  readonly aggregations?: Readonly<Record<string, unknown>>;
}

/** Buckets of an aggregation. */
export interface Buckets<Bucket> {
  readonly buckets: readonly (Bucket & { readonly key: string | number })[];
}

/** Sub-aggregations that name the device of a bucket. Sums of the records answer them, too. */
export const whoAggregation = {
  serial: { terms: { field: 'device.serial', size: 1 } },
  name: { terms: { field: 'device.name', size: 1 } },
} as const;

/** A bucket of a device, with its names. */
export type DeviceBucket = Readonly<Record<keyof typeof whoAggregation, Buckets<object>>>;

/** Returns the name of the device of a bucket. */
export const deviceNameOf = ({ name, serial }: DeviceBucket): string =>
  String((name.buckets[0] ?? serial.buckets[0])?.key ?? '');

/** Returns the clauses that find the records of a choice of devices. Without more, sums of the records answer. */
export const recordsOf = (choice: Choice): object => ({
  bool: { filter: ofChoice(choice) },
});

/** Returns the clauses that find the records of a source with a value. */
export const valuesOf = ({ variable, ...choice }: Source): object => ({
  bool: { filter: [{ exists: { field: variable } }, ...ofChoice(choice)] },
});

const ofChoice = ({ devices, tag, product, site }: Choice): object[] => [
  ...(devices === undefined ? [] : [{ terms: { 'device.id': devices } }]),
  ...(tag === undefined ? [] : [{ term: { 'device.tags': tag } }]),
  ...(product === undefined ? [] : [{ term: { 'product.id': product } }]),
  ...(site === undefined ? [] : [{ term: { 'device.site.id': site } }]),
];

/** Lengths of buckets in seconds. */
const steps = [1, 2, 5, 10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400];

/** Returns the shortest bucket length, in seconds, that divides a range into at most `count` buckets. */
export const stepFor = (from: number, to: number, count: number): number =>
  steps.find((step) => (to - from) / step <= count) ?? Math.ceil((to - from) / count / 86_400) * 86_400;

/** Aggregation by time. Buckets without records are left out. */
export const byTime = (step: number, aggs: object): object => ({
  date_histogram: { field: 'ts', fixed_interval: `${step}s`, min_doc_count: 1 },
  aggs,
});

/** Returns the value of a field in a record; an object's dots may be part of its keys. */
export const valueIn = (source: Readonly<Record<string, unknown>> | undefined, variable: string): unknown => {
  const data = source?.['data'] as Record<string, unknown> | undefined;
  const name = variableName(variable);
  if (data === undefined || name in data) return data?.[name];
  return name.split('.').reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], data);
};
