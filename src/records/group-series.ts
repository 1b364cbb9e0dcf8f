import type { Sql } from 'sql-template-tag';
import type {
  CalendarInterval,
  DeviceCombination,
  DeviceReduction,
  GroupFill,
  GroupSplit,
} from '#entities/group-series.js';

/** Devices of groups, as SQL for the statements of an index. */
export interface GroupMembers {
  /** Part of a statement after `from`: a device `d` with its conditions. It decides which devices the caller can read. */
  readonly from: Sql;
  /** Expression of a device's group, as text. A device may be in several groups. */
  readonly group: Sql;
  /** Whether groups are sites: a device counts while it was at the site or below it. */
  readonly isSite?: boolean;
}

/** Selects lines over many devices, and how they are computed. */
export interface GroupCall {
  organizationId: string;
  members: GroupMembers;
  /** Groups in the order of the answer. Each has at least one line if it is not split. */
  groups: readonly string[];
  variable: string;
  /** Unix seconds; the end is exclusive. By default the last day. */
  from?: number | null | undefined;
  to?: number | null | undefined;
  /** At most one of the next three; without any, the whole range is one bucket. */
  interval?: number | null | undefined;
  calendarInterval?: CalendarInterval | null | undefined;
  points?: number | null | undefined;
  /** Zone of calendar units. */
  timeZone: string;
  perDevice: DeviceReduction;
  combine: DeviceCombination;
  split: GroupSplit;
  /** State whose time is counted. */
  state: string;
  fill: GroupFill;
  /** Seconds. */
  maxAge: number;
  minDevices: number;
  /** Position that a standby must have replayed to answer; undefined: the primary answers. */
  position?: string | undefined;
  /** Aborted when the caller is gone. */
  signal?: AbortSignal | undefined;
}

/** One line: columns of the same length. */
export interface GroupLine {
  group: string;
  key: string | null;
  others: boolean;
  unit: string | null;
  interval: number | null;
  ts: number[];
  values: number[];
  lowest: number[];
  highest: number[];
  devices: number[];
  expected: number[];
  filled: number[];
  bridged: number[];
}
