import {
  maxAnswers,
  maxBuckets,
  maxWindowValues,
  tooManyAnswers,
  tooManyBuckets,
  tooManyWindowValues,
} from '#search/search-failure.js';
import type { Counting } from './children.js';

/** Approximate memory of the answer of one aggregation in one bucket, in bytes. */
const answerBytes = 100;

/**
 * Creates the counter of one query's buckets, answers and moving-function work. Its methods throw SearchFailure when a
 * limit is exceeded.
 */
export const answerCounter = (weigh: (bytes: number) => void): Pick<Counting, 'made' | 'answered' | 'windowed'> => {
  let buckets = 0;
  let answers = 0;
  let windowValues = 0;
  return {
    made: (count) => {
      buckets += count;
      if (buckets > maxBuckets) throw tooManyBuckets(buckets);
    },
    answered: (count) => {
      answers += count;
      if (answers > maxAnswers) throw tooManyAnswers(answers);
      weigh(count * answerBytes);
    },
    windowed: (count, place) => {
      windowValues += count;
      if (windowValues > maxWindowValues) throw tooManyWindowValues(windowValues, place);
    },
  };
};
