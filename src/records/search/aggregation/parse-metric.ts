import { illegalArgument } from '../failure.js';
import type { Input } from '../syntax/input.js';
import { object, type Shaped } from '../syntax/object.js';
import { anything, ignored, text } from '../syntax/value.js';
import type { FieldOptions, SimpleMetricKind } from './aggregation.js';
import type { ParseAggregation } from './frame.js';

/** The keys of every aggregation over the values of a field. */
export const valueSource = {
  field: text,
  missing: anything,
  format: anything,
  value_type: ignored,
  script: refuseScript,
} as const;

/** What {@link valueSource} read, with the field that must be there. */
export const fieldOptions = (options: Shaped<typeof valueSource>, at: Input): FieldOptions => {
  if (options.field === undefined)
    throw illegalArgument(`Required one of fields [field, script], but none were specified. `, at);
  const missing = options.missing?.isNull ? undefined : options.missing;
  return { field: options.field, ...(missing && { missing }), ...(options.format && { format: options.format }) };
};

function refuseScript(at: Input): never {
  throw illegalArgument('cannot execute [inline] scripts', at);
}

const simple =
  (kind: SimpleMetricKind): ParseAggregation =>
  (at, { name, meta }) => ({
    kind,
    name,
    at,
    ...(meta !== undefined && { meta }),
    ...fieldOptions(object(kind, valueSource)(at), at),
  });

/** Parsers of metrics, by the name of their type. */
export const metricParsers: Readonly<Record<string, ParseAggregation>> = {
  avg: simple('avg'),
  sum: simple('sum'),
  min: simple('min'),
  max: simple('max'),
  value_count: simple('value_count'),
};
