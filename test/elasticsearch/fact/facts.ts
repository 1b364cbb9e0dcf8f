import { bucketFacts } from './bucket.js';
import { clauseFacts } from './clause.js';
import { doorFacts } from './door.js';
import type { Fact } from './fact.js';
import { metricFacts } from './metric.js';
import { namedFacts } from './named.js';
import { pipelineFacts } from './pipeline.js';
import { searchFacts } from './search.js';
import { shapeFacts } from './shape.js';

/** All facts, in the order in which tests run them. */
export const facts: readonly Fact[] = [
  ...searchFacts,
  ...clauseFacts,
  ...namedFacts,
  ...metricFacts,
  ...bucketFacts,
  ...shapeFacts,
  ...pipelineFacts,
  ...doorFacts,
];
