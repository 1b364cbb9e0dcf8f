import { simpleMetric } from './option/simple-metric.js';

export const avg = simpleMetric('avg');
