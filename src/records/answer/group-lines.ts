import { GroupSplit } from '#entities/group-series.js';
import type { GroupCall, GroupLine } from '../group-series.js';
import type { GroupPlan } from './group-plan.js';

/** Maximum number of lines of a group that is split, apart from that of the others, which comes after them. */
export const maxGroupLines = 100;

/** A point of a line, or a line without points (`b` is null), as a store finds it. Lines are numbered in `place`. */
export type GroupRow = [
  group: string,
  place: number,
  key: string | null,
  expected: number,
  b: number | null,
  value: number,
  devices: number,
  filled: number,
  bridged: number,
  lowest: number | undefined,
  highest: number | undefined,
];

/** Makes the lines of rows that are in the order of groups, places and buckets. A group that is not split has a line. */
export const groupLines = (
  { groups, split }: Pick<GroupCall, 'groups' | 'split'>,
  { starts, interval }: GroupPlan,
  rows: readonly GroupRow[],
  unit: string | null,
): GroupLine[] => {
  const byGroup = new Map<string, Map<number, GroupLine>>(groups.map((group) => [group, new Map()]));
  const lineOf = (group: string, place: number, key: string | null): GroupLine => {
    const lines = byGroup.get(group)!;
    const known = lines.get(place);
    if (known !== undefined) return known;
    const columns = { ts: [], values: [], lowest: [], highest: [], devices: [], expected: [], filled: [], bridged: [] };
    const line = { group, key, others: place > maxGroupLines, unit, interval, ...columns };
    lines.set(place, line);
    return line;
  };
  if (split === GroupSplit.none) for (const group of groups) lineOf(group, 1, null);
  for (const [group, place, key, expected, b, value, devices, filled, bridged, lowest, highest] of rows) {
    const line = lineOf(group, place, key);
    if (b === null) continue;
    line.ts.push(starts[b]!);
    line.values.push(value);
    line.devices.push(devices);
    line.expected.push(expected);
    line.filled.push(filled);
    line.bridged.push(bridged);
    if (lowest === undefined) continue;
    line.lowest.push(lowest);
    line.highest.push(highest!);
  }
  return groups.flatMap((group) => [...byGroup.get(group)!.values()]);
};
