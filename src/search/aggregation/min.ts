import { simpleMetric } from './option/simple-metric.js';

export const min = simpleMetric('min');
