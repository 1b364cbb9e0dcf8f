import type { PanelStatesFragment } from '../../../api/documents.js';
import { type Look, said, wordFor } from '../../../format/look.js';
import { shown } from '../../../format/value.js';
import { choiceOf, goneOf, type TimelinePanel, variableName } from '../document.js';
import type { Reader } from './answer.js';
import { type Context, lookOf } from './context.js';
import type { Segment, TimelineResult } from './results.js';

/** Buckets of a lane. */
const points = 200;

/** Maximum number of devices that have lanes. */
const mostLanes = 30;

/** Asks for the states of devices over time. */
export const askTimeline = ({ sources }: TimelinePanel, { request, facts, to }: Context): Reader<TimelineResult> => {
  const parts = sources.map(({ variable, unit, label, ...choice }) => ({
    choice: choiceOf(choice),
    title: label || variableName(variable),
    look: lookOf(facts.get(variableName(variable)), unit),
    read: request.states(choiceOf(choice), variableName(variable), points),
  }));
  return (answer) => {
    const gone = new Set<string>();
    let left = 0;
    const lanes = parts.flatMap(({ choice, title, look, read }) => {
      const { items, total } = read(answer);
      for (const id of goneOf(choice, items)) gone.add(id);
      const found = items.flatMap(({ name, serial, lines: [line] }) => {
        if (line === undefined || line.ts.length === 0) return [];
        const own = name ?? serial;
        return [{ name: sources.length > 1 ? `${own} ${title}` : own, segments: segmentsOf(line, look, to) }];
      });
      left = Math.max(left, total - items.length + Math.max(0, found.length - mostLanes));
      return found.slice(0, mostLanes);
    });
    return { kind: 'timeline', lanes, left, gone: gone.size };
  };
};

/** Returns the segments of a lane. Entries that begin together share a bucket. */
const segmentsOf = (line: PanelStatesFragment, look: Look, end: number): Segment[] => {
  const { interval, ts, seconds, values } = line;
  const segments: Segment[] = [];
  for (let first = 0, next; first < ts.length; first = next) {
    const from = ts[first]!;
    for (next = first + 1; ts[next] === from; ) next++;
    const isShared = next - first > 1;
    const to = isShared ? Math.min(end, (Math.floor(from / interval) + 1) * interval) : from + seconds[first]!;
    const shares = values
      .slice(first, next)
      .map((value, index) => ({ state: textOf(value, line, look), seconds: seconds[first + index]! }));
    segments.push({ from, to, shares });
  }
  return segments;
};

const textOf = (value: string, { type }: PanelStatesFragment, look: Look): string => {
  if (type === 'BOOL') return said(value === 'true', { ...look, type });
  const word = wordFor(value, look);
  if (word !== undefined || type === 'TXT' || !look.unit) return word ?? value;
  return shown(Number.isNaN(Number(value)) ? value : Number(value), look.unit);
};
