import { dateFormatOf, defaultDateFormat } from '../date/date-format.js';
import type { DateReading } from '../date/date-input.js';
import { zoneOf } from '../date/zone.js';
import { illegalArgument, SearchFailure } from '../failure.js';
import type { Field, Fields } from '../field/field.js';
import type { Input } from '../syntax/input.js';
import { text } from '../syntax/value.js';
import type { Predicate } from './predicate.js';

/** Fields that all clauses of one query may look in, counted once for each clause: four times as many as in the engines. */
const maxLookups = 4096;

/** Counts in how many fields the clauses of one query look: names with `*` make many of one. */
export class LookupCount {
  private count = 0;

  /** @throws SearchFailure where they become too many. */
  add(fields: number, at: Input): void {
    this.count += fields;
    if (this.count > maxLookups)
      throw illegalArgument(`Query contains too many nested clauses; maxClauseCount is set to ${maxLookups}`, at);
  }
}

/** What binding needs to know: the fields, and the instant that `now` means. */
export interface Binding {
  readonly fields: Fields;
  readonly now: number;
  /** Counts what the clauses of one query look for in fields; `bindQuery` sets it. */
  readonly lookups?: LookupCount;
  /** Takes the named clauses; unless given, names are of no use. */
  readonly named?: Map<string, Predicate>;
}

/** The field of a path; a disagreement between products fails at the clause. */
export const findField = (fields: Fields, path: string, at: Input): Field | undefined => {
  try {
    return fields.find(path);
  } catch (error) {
    if (error instanceof SearchFailure) throw new SearchFailure(error.status, error.type, error.reason, at);
    throw error;
  }
};

/** How a clause reads dates, by its own `format` and `time_zone`. */
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

/** Binds a clause inside another. */
export type BindInner<Q> = (query: Q) => Predicate;
