import { maxAnswers, maxBuckets, tooManyAnswers, tooManyBuckets } from '../../search/failure.js';
import type { Counting } from './children.js';

/** What one answer of an aggregation in one bucket takes in memory, about. Bytes. */
const answerBytes = 100;

/** Counts the buckets and the answers of one query. @throws SearchFailure where they become too many. */
export const answerCounter = (weigh: (bytes: number) => void): Pick<Counting, 'made' | 'answered'> => {
  let buckets = 0;
  let answers = 0;
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
  };
};
