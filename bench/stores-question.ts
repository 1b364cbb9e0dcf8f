/** The questions that each store answers in its own language. */
export const questions = {
  hourly: 'mean of all devices by hour, a week',
  newest: 'newest values of each device',
  devices: 'lowest, highest, mean of each device',
  daily: 'number of values by day',
  raw: 'values of a device, a day',
} as const;
export type QuestionName = keyof typeof questions;

/** An answer as numbers by key: a time in milliseconds, or a device and a variable or statistic. */
export type Answer = ReadonlyMap<string, number>;

/** Asks each question once. */
export type Askers = Readonly<Record<QuestionName, () => Promise<Answer>>>;

/** Cost of one question: processor time of the store, and time until the answer is there, in milliseconds. */
export interface QuestionCost {
  readonly processor: number;
  readonly wall: number;
}

/** Result of one store. */
export interface StoreResult {
  readonly name: string;
  /** Bytes on disk at the end. */
  readonly bytes: number;
  /** Processor time of all steps of ingestion, in microseconds. */
  readonly ingest: number;
  /** Bytes and processor time of single steps, to print. */
  readonly steps: readonly string[];
  readonly answers: ReadonlyMap<QuestionName, Answer>;
  readonly costs: ReadonlyMap<QuestionName, QuestionCost>;
}

/** Milliseconds for which a question is repeated in one turn: the kernel counts processor time in steps of 10 ms. */
const turnMs = 300;

/**
 * Asks all questions in turns. A question's cost is that of its cheapest turn.
 * @param spent returns the processor time of the store so far, in microseconds
 */
export const askAll = async (
  askers: Askers,
  spent: () => number | Promise<number>,
  turns: number,
): Promise<Pick<StoreResult, 'answers' | 'costs'>> => {
  const answers = new Map<QuestionName, Answer>();
  const costs = new Map<QuestionName, QuestionCost>();
  const names = Object.keys(questions) as QuestionName[];
  for (const name of names) answers.set(name, await askers[name]());
  for (let turn = 0; turn < turns; turn++)
    for (const name of names) {
      const cost = await costOf(askers[name], spent);
      const least = costs.get(name) ?? cost;
      costs.set(name, {
        processor: Math.min(least.processor, cost.processor),
        wall: Math.min(least.wall, cost.wall),
      });
    }
  return { answers, costs };
};

const costOf = async (ask: () => Promise<Answer>, spent: () => number | Promise<number>): Promise<QuestionCost> => {
  const from = await spent();
  const begun = performance.now();
  let [asked, lasted] = [0, 0];
  for (; lasted < turnMs; asked++) {
    await ask();
    lasted = performance.now() - begun;
  }
  return { processor: ((await spent()) - from) / asked / 1000, wall: lasted / asked };
};

/** Relative tolerance: stores add numbers in different orders. */
const tolerance = 1e-9;

/** Returns the first difference between two answers as text; undefined if they are equal. */
export const differenceBetween = (ours: Answer, theirs: Answer): string | undefined => {
  if (ours.size === 0) return 'the answer is empty';
  if (ours.size !== theirs.size) return `${ours.size} and ${theirs.size} entries`;
  for (const [key, value] of ours) {
    const other = theirs.get(key) ?? Number.NaN;
    if (!(Math.abs(value - other) <= tolerance * Math.max(Math.abs(value), Math.abs(other))))
      return `${key}: ${value} and ${other}`;
  }
  return undefined;
};
