import { dateFormatOf, defaultDateFormat } from '../date/date-format.js';
import type { DateReading } from '../date/date-input.js';
import { zoneOf } from '../date/zone.js';
import type { Field, Fields } from '../field/field.js';
import { illegalArgument, SearchFailure } from '../search-failure.js';
import type { Input } from '../syntax/input.js';
import { text } from '../syntax/value.js';
import type { Predicate } from './predicate.js';

/** Maximum number of field lookups by all clauses of one query: four times the engines' limit. */
const maxLookups = 4096;

/** Counts the field lookups by the clauses of one query: a name with `*` looks up many fields. */
export class LookupCount {
  private count = 0;

  /** @throws SearchFailure above the limit */
  add(fields: number, at: Input): void {
    this.count += fields;
    if (this.count > maxLookups)
      throw illegalArgument(`Query contains too many nested clauses; maxClauseCount is set to ${maxLookups}`, at);
  }
}

/** Context of binding: the fields, and the instant of `now`. */
export interface Binding {
  readonly fields: Fields;
  readonly now: number;
  /** Counts the field lookups of one query; `bindQuery` sets it. */
  readonly lookups?: LookupCount;
  /** Receives the named clauses; without it, names are ignored. */
  readonly named?: Map<string, Predicate>;
}

/** Finds the field of a path. If products disagree on it, the error names the clause. */
export const findField = (fields: Fields, path: string, at: Input): Field | undefined => {
  try {
    return fields.find(path);
  } catch (error) {
    if (error instanceof SearchFailure) throw new SearchFailure(error.status, error.type, error.reason, at);
    throw error;
  }
};

/** Returns the way in which a clause reads dates, by its own `format` and `time_zone`. */
export const dateReading = (now: number, format?: Input, timeZone?: Input): DateReading => {
  const zone = timeZone && zoneOf(text(timeZone));
  if (timeZone !== undefined && zone === undefined) {
    const id = text(timeZone);
    const isName = /^[A-Za-z][A-Za-z0-9~/._+-]+$/.test(id);
    const type = isName ? 'zone_rules_exception' : 'date_time_exception';
    const reason = isName ? `Unknown time-zone ID: ${id}` : `Invalid ID for region-based ZoneId, invalid format: ${id}`;
    throw illegalArgument(reason, timeZone, { type, reason });
  }
  return {
    now,
    format: format === undefined ? defaultDateFormat : dateFormatOf(text(format), format),
    ...(zone && { zone }),
  };
};

/** Binds a nested clause. */
export type BindInner<Q> = (query: Q) => Predicate;
