import {
  maxAnswers,
  maxBuckets,
  maxWindowValues,
  tooManyAnswers,
  tooManyBuckets,
  tooManyWindowValues,
} from '../../search/failure.js';
import type { Counting } from './children.js';

/** What one answer of an aggregation in one bucket takes in memory, about. Bytes. */
const answerBytes = 100;

/** Counts the buckets, the answers and the work of moving functions of one query. @throws SearchFailure where it becomes too much. */
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
