import { simpleMetric } from './option/simple-metric.js';

export const valueCount = simpleMetric('value_count');
