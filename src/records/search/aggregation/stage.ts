import sql, { empty, type Sql } from 'sql-template-tag';
import type { Field, Fields } from '../field/field.js';
import { known } from '../query/binding.js';
import { and, type Predicate } from '../query/predicate.js';
import type { Input } from '../syntax/input.js';
import type { Aggregation } from './aggregation.js';
import type { Span } from './date-bucket.js';
import type { Bucket, Cell, Cut, Key, Level } from './level.js';
import { flagOf } from './level.js';

/** An expression of SQL aggregates, each followed by what it is told: nothing, or which records it counts. */
export type Aggregate = (where: Sql) => Sql;

/** What all aggregations of a query share. */
export interface Planning {
  readonly fields: Fields;
  /** The moment that `now` means, in milliseconds. */
  readonly now: number;
  /** The time that records of the scope can be in. */
  readonly span: Span;
  /** All levels of the query, each after the one around it. */
  readonly levels: Level[];
  /** Plans aggregations that stand in the same buckets, by their names. */
  planAll(aggregations: readonly Aggregation[], stage: Stage): Map<string, Planned>;
  /** Counts buckets made; fails past what one query may make. */
  made(count: number): void;
}

/** Where an aggregation stands: the buckets of a level, and of their records those that the filters around it let through. */
export class Stage {
  constructor(
    readonly planning: Planning,
    readonly level: Level,
    private readonly filters: readonly Predicate[] = [],
  ) {}

  /** The same buckets, of fewer records. */
  filtered(predicate: Predicate): Stage {
    return new Stage(this.planning, this.level, [...this.filters, predicate]);
  }

  /** Buckets inside these. */
  inside(keys: readonly Key[], cut?: Cut): Stage {
    const level = this.level.inside(this.filters, keys, cut);
    this.planning.levels.push(level);
    return new Stage(this.planning, level);
  }

  /** How many records there are. */
  count(): (bucket: Bucket) => number {
    if (this.filters.length === 0) return this.level.count;
    const { cell } = this.aggregate((where) => sql`count(*)${where}`);
    return (bucket) => Number(cell(bucket) ?? 0);
  }

  /** An aggregate over the records. */
  aggregate(aggregate: Aggregate): { cell: Cell; column: Sql } {
    if (this.filters.length === 0) return this.level.perBucket(aggregate(empty));
    return this.level.perBucket(aggregate(sql` filter (where ${flagOf(this.level, and(this.filters))})`));
  }

  /** Plans what stands in these buckets. */
  planAll(aggregations: readonly Aggregation[]): Map<string, Planned> {
    return this.planning.planAll(aggregations, this);
  }

  /** The field of a path, undefined where nothing has it. */
  field(path: string, at: Input): Field | undefined {
    return known(this.planning.fields, path, at);
  }
}

/** An aggregation, planned: what reads its answer once the levels have their rows. */
export interface Planned {
  read(bucket: Bucket): Answer;
  /** What buckets around can be ordered by, by the name of the property (`avg` of `stats`), empty for the only one. */
  sortable?(property: string): SortColumn | undefined;
  /** Of aggregations that make one bucket only: what stands in it. */
  readonly children?: ReadonlyMap<string, Planned>;
}

/** The answer of one aggregation, as the engines write it. */
export type Answer = Record<string, unknown>;

/** A metric to order buckets by. */
export interface SortColumn {
  /** Over alias `g`. */
  readonly column: Sql;
  readonly cell: Cell;
  /** What stands in for no value: a number that it counts as; `last` in either direction where it has none. */
  readonly empty: number | 'last';
}

/** The answers of planned aggregations for one bucket. */
export const readAll = (all: ReadonlyMap<string, Planned>, bucket: Bucket): Answer =>
  Object.fromEntries([...all].map(([name, one]) => [name, one.read(bucket)]));
