import { simpleMetric } from './option/simple-metric.js';

export const max = simpleMetric('max');
