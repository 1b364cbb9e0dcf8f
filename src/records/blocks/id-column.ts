import type { BlockColumn } from './block-column.js';
import { decodeNumbers, encodeIntegers } from './number-column.js';
import { decodeTexts } from './text-column.js';

/** Processes that created the identifiers of a block, each with a counter that grows along `seq`. */
export interface Processes {
  /** The 42 bits that each process has drawn, as 11 hexadecimal digits. */
  bits: readonly string[];
  /** Counter at `seqLowest`. */
  counter: number[];
  /** Growth of the counter while `seq` grows by one. */
  step: number[];
  /** Lowest `seq` of the block. */
  seqLowest: number;
}

/**
 * Identifiers of a block's records. Those of UUID version 7 are split into arrival and the rest; the rest is either
 * process and counter, or the last 10 bytes.
 */
export interface EncodedIds {
  /** Arrival, in milliseconds after the record's time. */
  arrival?: BlockColumn;
  process?: BlockColumn;
  /** Residual of the counter from its process' line. */
  counter?: BlockColumn;
  processes?: Processes;
  /** Identifiers, or their last 10 bytes, of 32 or 20 hexadecimal digits. */
  tail?: BlockColumn;
}

/** An identifier of version 7 as `newId` lays it out: 48 bits of arrival, 32 of a counter, 42 of a process. */
interface IdParts {
  arrival: number;
  counter: number;
  process: string;
}

/** Digits of an identifier that are its arrival. */
const arrivalDigits = 12;

const version7 = /^.{12}7.{3}[89ab]/;

/** Minimum number of records per process of a block: below it, the identifiers are kept as they are. */
const leastPerProcess = 32;

/**
 * Encodes identifiers.
 * @param ids 32 hexadecimal digits each
 * @param times microseconds since 1970
 */
export const encodeIds = (ids: readonly string[], times: readonly number[], seqs: readonly number[]): EncodedIds => {
  if (!ids.every((id) => version7.test(id))) return { tail: tailOf(ids) };
  const arrival = encodeIntegers(ids.map((id, index) => arrivalOf(id) - millisecond(times[index]!)));
  return { arrival, ...(countersOf(ids, seqs) ?? { tail: tailOf(ids.map((id) => id.slice(arrivalDigits))) }) };
};

/** Keeps bytes even if few differ, so that the form says how to read them. */
const tailOf = (digits: readonly string[]): BlockColumn => ({
  n: digits.length,
  base: digits[0]!.length / 2,
  scale: 0,
  raw: Buffer.from(digits.join(''), 'hex'),
});

/** Returns the arrival of an identifier of version 7, in milliseconds since 1970. */
const arrivalOf = (id: string): number => Number.parseInt(id.slice(0, arrivalDigits), 16);

const millisecond = (time: number): number => Math.floor(time / 1000);

/** Range of arrivals, in milliseconds since 1970. Undefined if an identifier is not of version 7. */
export const arrivalsOf = (ids: readonly string[]): { lowest: number; highest: number } | undefined => {
  if (!ids.every((id) => version7.test(id))) return undefined;
  let [lowest, highest] = [Number.POSITIVE_INFINITY, 0];
  for (const id of ids) {
    const arrival = arrivalOf(id);
    if (arrival < lowest) lowest = arrival;
    if (arrival > highest) highest = arrival;
  }
  return { lowest, highest };
};

const countersOf = (ids: readonly string[], seqs: readonly number[]): Omit<EncodedIds, 'arrival'> | undefined => {
  const seqLowest = seqs.reduce((lowest, seq) => Math.min(lowest, seq), Number.POSITIVE_INFINITY);
  const limit = Math.max(1, Math.floor(ids.length / leastPerProcess));
  const groups = new Map<string, { place: number; first: CounterAt; last: CounterAt }>();
  const places: number[] = [];
  const counters: number[] = [];
  for (const [index, id] of ids.entries()) {
    const { process, counter } = partsOf(id);
    const at = { seq: seqs[index]! - seqLowest, counter };
    let group = groups.get(process);
    if (group === undefined) {
      if (groups.size === limit) return undefined;
      groups.set(process, (group = { place: groups.size, first: at, last: at }));
    }
    if (at.seq < group.first.seq) group.first = at;
    if (at.seq > group.last.seq) group.last = at;
    places.push(group.place);
    counters.push(counter);
  }
  const lines = [...groups.values()].map(({ first, last }) => lineOf(first, last));
  const processes: Processes = {
    bits: [...groups.keys()],
    counter: lines.map(({ counter }) => counter),
    step: lines.map(({ step }) => step),
    seqLowest,
  };
  return {
    process: encodeIntegers(places),
    counter: encodeIntegers(
      counters.map((counter, index) => counter - expected(processes, places[index]!, seqs[index]!)),
    ),
    processes,
  };
};

interface CounterAt {
  /** After the lowest `seq` of the block. */
  seq: number;
  counter: number;
}

const lineOf = (first: CounterAt, last: CounterAt): { counter: number; step: number } => {
  const step = last.seq === first.seq ? 1 : (last.counter - first.counter) / (last.seq - first.seq);
  return { counter: first.counter - Math.floor(step * first.seq), step };
};

/** Counter on the line of a process. SQL computes the same, in doubles. */
const expected = ({ counter, step, seqLowest }: Processes, place: number, seq: number): number =>
  counter[place]! + Math.floor(step[place]! * (seq - seqLowest));

/** Takes an identifier of version 7 apart: 4, 8 and 14 + 6 bits of the counter stand around version and variant. */
const partsOf = (id: string): IdParts => {
  const high = Number.parseInt(id.slice(13, 16), 16);
  const middle = Number.parseInt(id.slice(16, 22), 16);
  return {
    arrival: arrivalOf(id),
    counter: high * 2 ** 20 + ((middle >>> 2) & 0xf_ffff),
    process: (middle & 3) + id.slice(22),
  };
};

const idOf = ({ arrival, counter, process }: IdParts): string => {
  const high = Math.floor(counter / 2 ** 20);
  const middle = 0x80_0000 + (counter % 2 ** 20) * 4 + Number(process[0]);
  return `${arrival.toString(16).padStart(arrivalDigits, '0')}7${high.toString(16).padStart(3, '0')}${middle.toString(16)}${process.slice(1)}`;
};

/**
 * Returns the identifiers of encoded ones.
 * @param isWanted whether the identifier of a record is needed; an empty text takes the place of others
 */
export const decodeIds = (
  { arrival, process, counter, processes, tail }: EncodedIds,
  times: readonly number[],
  seqs: readonly number[],
  isWanted: (index: number) => boolean = () => true,
): string[] => {
  const tails = tail && (decodeTexts(tail, times.length) as string[]);
  if (arrival === undefined) return tails!;
  const arrivals = decodeNumbers(arrival, times.length).map((after, index) => after! + millisecond(times[index]!));
  if (tails)
    return tails.map((rest, index) =>
      isWanted(index) ? arrivals[index]!.toString(16).padStart(arrivalDigits, '0') + rest : '',
    );
  const places = decodeNumbers(process!, times.length) as number[];
  const residuals = decodeNumbers(counter!, times.length) as number[];
  return arrivals.map((arrival, index) =>
    isWanted(index)
      ? idOf({
          arrival,
          counter: residuals[index]! + expected(processes!, places[index]!, seqs[index]!),
          process: processes!.bits[places[index]!]!,
        })
      : '',
  );
};
