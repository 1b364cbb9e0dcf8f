import { simpleMetric } from './option/simple-metric.js';

export const sum = simpleMetric('sum');
