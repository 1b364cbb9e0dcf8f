import type { Line } from '../../../components/plot-data.js';
import type { Look } from '../../../format/look.js';
import type { Ends } from '../../../format/range.js';
import type { SearchAnswer } from './search.js';

/** Content of a panel. */
export type Result =
  | SeriesResult
  | FigureResult
  | TableResult
  | MapResult
  | TimelineResult
  | TopResult
  | { readonly kind: 'query'; readonly answer: SearchAnswer }
  | { readonly kind: 'text' }
  | { readonly kind: 'failed'; readonly message: string };

/** Devices that a panel names and that are gone, or that the caller may not see. */
interface Gone {
  readonly gone: number;
}

export interface SeriesResult extends Gone {
  readonly kind: 'series';
  readonly lines: readonly Line[];
  /** Number of devices that the panel leaves out. */
  readonly left: number;
  /** End of the time axis in Unix seconds, if it is not that of the range. */
  readonly axisEnd?: number;
}

export interface FigureResult {
  readonly kind: 'figure';
  readonly value: unknown;
  readonly look: Look;
  /** Time of the newest value, in Unix seconds. */
  readonly at: number | undefined;
  /** Name of the device of the newest value, or how many devices the value combines. */
  readonly of: string | undefined;
  readonly trend: readonly number[];
  /** Value of the earlier range that the panel compares with; undefined if it has none. */
  readonly earlier?: { readonly value: number | undefined; readonly ends: Ends; readonly now: Ends };
}

export interface TableResult extends Gone {
  readonly kind: 'table';
  readonly columns: readonly { readonly title: string; readonly isNumber: boolean }[];
  readonly rows: readonly {
    readonly id: string;
    readonly name: string;
    readonly cells: readonly (string | undefined)[];
    /** Time of the newest record in Unix seconds. */
    readonly at: number | undefined;
  }[];
  readonly left: number;
}

export interface MapResult {
  readonly kind: 'map';
  readonly places: readonly {
    readonly id: string;
    readonly name: string;
    readonly lat: number;
    readonly lon: number;
    readonly isAlerted: boolean;
  }[];
  /** Number of devices without a location. */
  readonly unplaced: number;
  readonly left: number;
}

/** A time with one state, or a bucket in which the state changed several times. */
export interface Segment {
  readonly from: number;
  readonly to: number;
  /** The states and how long each lasted, in seconds; the longest first. */
  readonly shares: readonly { readonly state: string; readonly seconds: number }[];
}

export interface TimelineResult extends Gone {
  readonly kind: 'timeline';
  readonly lanes: readonly { readonly name: string; readonly segments: readonly Segment[] }[];
  /** Number of devices that the panel leaves out. */
  readonly left: number;
}

export interface TopResult {
  readonly kind: 'top';
  /** `id` is that of a device; null for a product, a tag or none. */
  readonly entries: readonly { readonly id: string | null; readonly name: string; readonly value: number }[];
  /** Number of devices that were not compared. */
  readonly left: number;
  readonly look: Look;
}
